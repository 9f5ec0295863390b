import { setGlobalProxyFromEnv } from 'node:http';

type Environment = Readonly<Record<string, string | undefined>>;

let isSet = false;

/**
 * Sends requests through the proxies that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`, in either case), except those to this
 * machine. This affects the whole process, since Node has no proxy setting for a single request; so it happens once, with the first request. Returns
 * the function that undoes it.
 */
export function useEnvironmentProxy(environment: Environment): () => void {
  const read = (name: string): string => environment[name] || environment[name.toUpperCase()] || '';
  const [http, https] = [read('http_proxy'), read('https_proxy')];
  if (isSet || (http === '' && https === '')) return () => {};
  isSet = true;
  const except = [read('no_proxy'), 'localhost', '127.0.0.1', '[::1]', '::1'].filter((name) => name !== '').join(',');
  const restore = setGlobalProxyFromEnv({
    ...(http === '' ? {} : { http_proxy: http }),
    ...(https === '' ? {} : { https_proxy: https }),
    no_proxy: except,
  });
  return () => {
    isSet = false;
    restore();
  };
}
