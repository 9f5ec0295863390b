import { BlockList, isIP } from 'node:net';

/** IPv4 networks that are not the internet: this machine, private and shared ones, link-local with the metadata of clouds, tests, multicast. */
const special4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** The only IPv6 network of the internet, and what in it is not: among others tunnels, which end at an IPv4 address of someone's choice. */
const global6 = listOf('ipv6', [['2000::', 3]]);
const special6 = listOf('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]);
const blocked4 = listOf('ipv4', special4);

/** Returns true for an address of the internet; false for this machine, private networks, and what is no address. */
export function isPublicAddress(address: string): boolean {
  const kind = isIP(address);
  if (kind === 4) return !blocked4.check(address, 'ipv4');
  // IPv4 addresses in the form of IPv6 are outside of the global network, and so refused.
  return kind === 6 && global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
}

function listOf(kind: 'ipv4' | 'ipv6', networks: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, bits] of networks) list.addSubnet(network, bits, kind);
  return list;
}
