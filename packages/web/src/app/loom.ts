import { createWebOutboxStorage } from '@loom/client';
import type { CallOptions, FollowedList, LoomClient, Outbox, OutboxView } from '@loom/client';
import type { ParamsOf, ResultOf } from '@loom/kernel';
import { OpenConversation } from '../conversation/open-conversation.ts';
import type { Session } from '../session/session.ts';
import type { BlockHost } from '../blocks/block-host.ts';
import { loomBlockHost } from '../blocks/loom-block-host.ts';
import { Drafts } from '../composer/drafts.ts';
import { PaletteState } from '../palette/palette-state.ts';
import { focusComposer, offerComposer } from '../composer/focus.ts';
import { ComposerState } from '../composer/composer-state.ts';
import { OfferedTools } from '../models/offered-tools.ts';
import type { ToolPlace } from '../models/offered-tools.ts';
import { Models } from '../models/models.ts';
import type { ExportWish } from '../exporting/export-place.ts';
import { Imports } from '../importing/imports.ts';
import { Away } from '../navigator/away.ts';
import { Pins } from '../navigator/pins.ts';
import { ProjectList } from '../navigator/project-list.ts';
import { tellHomeChanged } from '../stores/home-changes.ts';
import { Store } from '../stores/store.ts';
import { Beginning } from '../work/beginning.ts';
import { Looked } from '../board/looked.ts';
import { Workspace } from '../branching/workspace.ts';
import { Commands } from '../keys/commands.ts';
import { WaitingCalls } from '../tray/waiting-calls.ts';
import { Notices } from './notices.ts';
import { KeptPositions } from '../timeline/position/kept-positions.ts';
import { Preferences } from './preferences.ts';
import { addressOf, readAddress } from './route.ts';
import type { Place } from './route.ts';
import { lazily } from '../ui/lazily.ts';
import { tellBack, whenBack } from '../ui/when-back.ts';
import { whenIdle } from '../ui/when-idle.ts';
import { describeFailure, RefusedError } from '../words/failures.ts';

const loadEndWords = lazily(() => import('../importing/tell-ended.ts'));

interface GoOptions {
  /** True if the new place replaces the old one in the history. */
  replace?: boolean;
  /** The words that were found in the block. */
  match?: string;
}

interface Arrival {
  /** True if the place was chosen here, and not by an address, or by going back. */
  readonly isChosen: boolean;
  readonly match?: string;
}

/** The whole state of the page, which its components read, and the calls they make. */
export class Loom {
  readonly client: LoomClient;
  /** The agent name of the reader's changes. */
  readonly agent: string;
  readonly blobAddress: Session['blobAddress'];
  readonly readBlob: Session['readBlob'];
  readonly readRange: Session['readRange'];
  /** The services the page gives to blocks. */
  readonly blocks: BlockHost;
  readonly list: FollowedList;
  /** The projects with their first conversations. */
  readonly projects: ProjectList;
  /** Archives, deletes and marks conversations. */
  readonly away: Away;
  /** The conversations that the reader has pinned. */
  readonly pins: Pins;
  /** Matches if the inspector fits beside the conversation. */
  readonly #isWide = matchMedia('(min-width: 1200px)');
  readonly preferences = new Preferences(localStorage, { isWide: this.#isWide.matches });
  readonly drafts = new Drafts(localStorage);
  readonly notices = new Notices();
  readonly commands = new Commands();
  readonly workspace = new Workspace(localStorage);
  readonly place: Store<Place>;
  /** The conversation that is open. */
  readonly conversation = new Store<OpenConversation | undefined>(undefined);
  /** The block that the inspector shows. */
  readonly current = new Store<string | undefined>(undefined);
  /** The calls that wait for a person, in all conversations. */
  readonly waiting: WaitingCalls;
  /** The draft in the message field. */
  readonly composer = new ComposerState(localStorage, this.conversation);
  readonly models = new Models((name, params) => this.ask(name, params), localStorage);
  /** The folder and mode of the conversation that is begun next. */
  readonly beginning = new Beginning(localStorage);
  /** The tools that the chosen model is offered in the conversation on display. */
  readonly tools = new OfferedTools(
    (name, params) => this.ask(name, params),
    () => this.#toolPlace(),
  );
  /** The ended turns that the reader has looked at. */
  readonly looked = new Looked({
    ask: (name, params) => this.ask(name, params),
    storage: localStorage,
    conversation: this.conversation,
  });
  /** True while the model picker is open. */
  readonly isPickerOpen = new Store(false);
  /** The reader's position at each address. */
  readonly positions = new KeptPositions(sessionStorage);
  /** The operations done here that the server has not answered yet. */
  get outbox(): Promise<Outbox> {
    this.#outbox ??= this.#openOutbox();
    return this.#outbox;
  }
  #outbox: Promise<Outbox> | undefined;
  readonly palette = new PaletteState(localStorage);
  /** The histories of other programs. */
  readonly imports: Imports;
  /** The export in preparation. */
  readonly exporting = new Store<ExportWish | undefined>(undefined);
  /** True while the deleted conversations are shown. */
  readonly hasDeleted = new Store(false);
  readonly kept = new Store<OutboxView | undefined>(undefined);
  readonly isSignedOut = new Store(false);
  /** True while the navigator is open, on screens where it is a drawer. */
  readonly isNavigatorOpen = new Store(false);

  constructor({ client, agent, blobAddress, readBlob, readRange, upload }: Session) {
    this.client = client;
    this.agent = agent;
    this.blobAddress = blobAddress;
    this.readBlob = readBlob;
    this.readRange = readRange;
    this.blocks = loomBlockHost(this);
    this.#isWide.addEventListener('change', ({ matches }) => this.preferences.fit(matches));
    this.list = client.followList({ children: false, onSignedOut: () => this.isSignedOut.set(true) });
    this.list.subscribeToHomes(tellHomeChanged);
    this.projects = new ProjectList({ ask: this.ask, list: this.list });
    const refresh = (): Promise<void> => this.projects.refresh();
    this.away = new Away({ ask: this.ask, notices: this.notices, refresh });
    this.pins = new Pins({ ask: this.ask, view: this.projects.view, refresh });
    this.imports = new Imports({
      ask: this.ask,
      upload,
      list: this.list,
      storage: sessionStorage,
      ended: (ended) => this.attempt(async () => (await loadEndWords()).tellEnded(this, ended)),
    });
    this.waiting = new WaitingCalls(this.list, async () => (await this.ask('turn.waiting', { limit: 200 })).items);
    this.place = new Store(readAddress(location.pathname, location.hash));
    addEventListener('pagehide', () => this.looked.note());
    addEventListener('popstate', () => this.#arrive(readAddress(location.pathname, location.hash)));
    this.#arrive(this.place.getSnapshot());
    void this.models.refresh();
    this.#followTools();
    // Operations kept by an earlier visit are sent once the page is drawn; a failure shows when something is sent.
    const openOutbox = (): void => void this.outbox.catch(() => whenBack(openOutbox));
    void whenIdle().then(openOutbox);
    this.#tellWhenBack();
  }

  /** Calls an operation; throws with words for the reader if it is refused, or if no response comes. */
  readonly ask = async <Name extends string>(
    name: Name,
    params: ParamsOf<Name>,
    options?: CallOptions,
  ): Promise<ResultOf<Name>> => {
    const outcome = await this.client.call(name, params, options);
    if (outcome.ok) return outcome.value;
    throw new RefusedError(outcome.refusal);
  };

  /** Does something that the reader asked for, and reports failures. */
  readonly attempt = (work: () => Promise<unknown>): void => {
    work().catch((error: unknown) => this.notices.fail(describeFailure(error)));
  };

  /** Goes to a place; the address says so. */
  readonly go = (place: Place, { replace = false, match }: GoOptions = {}): void => {
    const address = addressOf(place);
    if (address !== location.pathname + location.hash) {
      if (replace) history.replaceState(null, '', address);
      else history.pushState(null, '', address);
    }
    // A reader who asks for a message wants to see it, wherever they were before.
    if (place.name === 'conversation' && place.node !== undefined) this.positions.forget(address.replace(/#.*$/u, ''));
    const before = this.conversation.getSnapshot()?.root;
    this.#arrive(place, { isChosen: true, ...(match === undefined ? {} : { match }) });
    // A conversation that is opened goes on with words, unless something in it was looked for.
    if (place.name === 'new') focusComposer();
    else if (place.name === 'conversation' && place.block === undefined && place.root !== before) offerComposer();
  };

  /** Shows the request to the model. */
  showRequest(): void {
    this.workspace.tab.set('context');
    this.workspace.hasRequest.set(true);
    this.preferences.hasInspector.set(true);
  }

  async #openOutbox(): Promise<Outbox> {
    // Operations that another person left in this browser wait until that person signs in again.
    const opening = this.client.openOutbox(createWebOutboxStorage(localStorage, this.agent, window));
    const outbox = await opening.catch((error: unknown) => {
      this.#outbox = undefined;
      throw error;
    });
    const look = (): void => this.kept.set(outbox.getSnapshot());
    outbox.subscribe(look);
    look();
    return outbox;
  }

  /** Asks for the offered tools whenever the model, the conversation or its config becomes another one. */
  #followTools(): void {
    const { folder, mode, tools } = this.beginning;
    for (const store of [this.models.answerers, folder, mode, tools]) store.subscribe(this.tools.look);
    let stop = (): void => {};
    const follow = (): void => {
      stop();
      stop = this.conversation.getSnapshot()?.watch.whole.subscribe(this.tools.look) ?? ((): void => {});
      this.tools.look();
    };
    this.conversation.subscribe(follow);
    follow();
  }

  #toolPlace(): ToolPlace {
    const open = this.conversation.getSnapshot();
    const { provider, model } = this.models.answerers.getSnapshot().models[0] ?? {};
    if (open === undefined) {
      const { provider_tools: _own, ...config } = this.beginning.config();
      return { config, provider, model };
    }
    const { directory, tools, approval_mode: mode } = open.watch.whole.getSnapshot().root.config;
    return { root: open.root, config: { directory, tools, approval_mode: mode }, provider, model };
  }

  #tellWhenBack(): void {
    let { status: before } = this.list.getSnapshot();
    this.list.subscribe(() => {
      const { status } = this.list.getSnapshot();
      if (status === 'live' && before !== 'live') tellBack();
      before = status;
    });
  }

  #arrive(place: Place, arrival: Arrival = { isChosen: false }): void {
    const open = this.conversation.getSnapshot();
    const root = 'root' in place ? place.root : undefined;
    const { node, view } = place.name === 'conversation' ? place : {};
    const isNewBranch = view === 'new';
    if (open !== undefined && open.root === root) {
      if (isNewBranch) open.showUpTo(node ?? root);
      else if (node !== undefined) open.show(node);
      else open.leaveOpenEnd();
    } else {
      open?.close();
      this.workspace.leave();
      this.conversation.set(root === undefined ? undefined : this.#open(root, node, isNewBranch));
    }
    if (place.name === 'conversation') this.#point(place, arrival);
    else this.current.set(undefined);
    this.place.set(place);
    if (place.name === 'conversation' && place.block !== undefined && place.node === undefined) {
      const { root: id, block } = place;
      this.attempt(() => this.#locate({ root: id, block }, arrival));
    }
  }

  /** Finds the message of a block that came without it, as when a result is chosen before it is known where it is. */
  async #locate({ root, block }: { root: string; block: string }, arrival: Arrival): Promise<void> {
    const { places } = await this.ask('block.locate', { blocks: [block] });
    const [found] = places;
    const here = this.place.getSnapshot();
    const isHere = here.name === 'conversation' && here.block === block && here.node === undefined;
    if (found === undefined || !isHere) return;
    const place: Place = { name: 'conversation', root, node: found.node, block };
    history.replaceState(null, '', addressOf(place));
    this.positions.forget(location.pathname);
    this.#arrive(place, arrival);
  }

  /** Makes the target of an address current and brings it into sight; a block that was chosen here takes the focus. */
  #point({ node, block }: { node?: string; block?: string }, { isChosen, match }: Arrival): void {
    if (block !== undefined) this.current.set(block);
    if (node !== undefined && this.positions.get(location.pathname) === undefined) {
      const named = block === undefined ? {} : { block, takesFocus: isChosen };
      const words = match === undefined ? {} : { match };
      this.workspace.reveal.set({ node, how: 'center', ...named, ...words });
    }
  }

  #open(root: string, node: string | undefined, isNewBranch: boolean): OpenConversation {
    const open = new OpenConversation({
      client: this.client,
      root,
      node,
      isNewBranch,
      isShown: this.preferences.isShown,
      onSignedOut: () => this.isSignedOut.set(true),
    });
    // A block no longer on display is not current either: a key would change or delete something its reader does not see.
    open.path.subscribe(() => {
      const block = this.current.getSnapshot();
      if (block !== undefined && open.isElsewhere(block)) this.current.set(undefined);
    });
    return open;
  }
}
