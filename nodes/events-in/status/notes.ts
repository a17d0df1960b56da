import type { NodeAPI } from "node-red";
import type { DecodedEvent, LeaseState } from "../../../src/index.ts";
import type { NodeContext } from "../../common/context.ts";
import { type ContractRegistry, contractsAt } from "../../common/contracts/contract-registry.ts";
import type { ContractNode } from "../../common/fields/config-nodes.ts";
import { type Evidence, isHighlyAvailable, onOtherCopy } from "../../common/fleet/other-copies.ts";
import { type FolderState, LOCK_TIMES } from "../../common/folder/folder-lock.ts";
import { stateFolder } from "../../common/folder/state-folder.ts";
import type { Library } from "../../common/library.ts";
import { looksLikeToken } from "../../common/shared/chain.ts";
import type { UnitsReport } from "../../common/shared/form-types.ts";

type NoteContext = Pick<NodeContext, "RED" | "node" | "t">;

type CopiesNoteOptions = {
  consumer: string;
  channelId: string;
  /** Whether the copies share the cursor in an engine. */
  isFleet: boolean;
  /** Whether the cursor is in a context store: each copy of FlowFuse has a cache of its own in front of it. */
  inContext: boolean;
  onChange: () => void;
};

/** Says once, in the log, that another copy of the flow reads the same channel; the status says it from then on. */
export class CopiesNote {
  readonly #context: NoteContext;
  readonly #options: CopiesNoteOptions;
  readonly #leave: () => void;
  #evidence: Evidence | undefined;

  constructor(context: NoteContext, options: CopiesNoteOptions) {
    const { RED } = context;
    this.#context = context;
    this.#options = options;
    const { consumer, channelId } = options;
    this.#leave = onOtherCopy({ consumer, channelId, note: (evidence) => this.note(evidence) });
    // The storage of FlowFuse is one for all copies, and has the lock.
    const isShared = options.isFleet || (!options.inContext && stateFolder(RED).chosenBy !== "default");
    if (isHighlyAvailable(RED) && !isShared) this.note("flowfuse");
  }

  /** Whether another copy was noticed. */
  get isNoted(): boolean {
    return this.#evidence !== undefined;
  }

  note(evidence: Evidence): void {
    if (this.isNoted) return;
    this.#evidence = evidence;
    const { node, t } = this.#context;
    const why = t(`events-in.copies.${evidence}`);
    node.warn(t("events-in.warning.copies", { consumer: this.#options.consumer, why }));
    this.#options.onChange();
  }

  close(): void {
    this.#leave();
  }
}

/** More contracts than a person sets up for one node. */
const MOST = 50;

/** Remembers which contracts have sent events without amounts in tokens, to say in the form what is missing. */
export class UnitsNote {
  readonly #registry: ContractRegistry;
  readonly #library: Library;
  readonly #seen = new Map<string, { chainSelector: string; address: string }>();

  constructor(registry: ContractRegistry, library: Library) {
    this.#registry = registry;
    this.#library = library;
  }

  note(decoded: DecodedEvent): void {
    if (!("params" in decoded) || "tokens" in decoded || this.#seen.size >= MOST) return;
    const { contract: address, chainSelector } = decoded;
    if (typeof address !== "string" || typeof chainSelector !== "string") return;
    // Others would take its places.
    if (contractsAt(this.#registry, chainSelector, address).length === 0) return;
    this.#seen.set(`${chainSelector} ${address}`, { chainSelector, address });
  }

  /** By what is deployed now. */
  report(): UnitsReport {
    const [noDecimals, differing]: [UnitsReport["noDecimals"], UnitsReport["differing"]] = [[], []];
    for (const { chainSelector, address } of this.#seen.values()) {
      const nodes = contractsAt(this.#registry, chainSelector, address);
      const decimals = new Set(nodes.flatMap(({ contract }) => contract.decimals ?? []));
      const token = nodes.find((node) => this.#isToken(node));
      if (decimals.size > 1) differing.push(nameOf(nodes[0]));
      if (decimals.size === 0 && token) noDecimals.push({ id: token.id, name: nameOf(token) });
    }
    return { noDecimals, differing };
  }

  #isToken({ contract }: ContractNode): boolean {
    const abi = contract.abiNow(this.#library) ?? [];
    return looksLikeToken(this.#library.listFunctions(abi), this.#library.listEvents(abi));
  }
}

function nameOf(node: ContractNode | undefined): string {
  return node?.name || node?.contract.address || "";
}

/** What Node-RED's store in files does unless its settings say otherwise. */
const FLUSH_SECONDS = 30;

/** Nodes that have said it: a deploy does not say it again. */
const reported = new Set<string>();

/** Writes into the log, once, what a crash or a restart does to a cursor in a context store. */
export function noteOnStore(context: NoteContext, store: string): void {
  const { node } = context;
  const note = noteOf(context, store);
  const key = `${node.id} ${store}`;
  if (note === undefined || reported.has(key)) return;
  reported.add(key);
  node.log(note);
}

function noteOf(context: NoteContext, store: string): string | undefined {
  const { t } = context;
  const { module, config } = storeOf(context.RED, store);
  if (module === "memory") return t("events-in.log.memory-store", { store });
  // What other stores do is for their documents to say.
  if (module !== "localfilesystem" || config.cache === false) return undefined;
  const seconds = Number(config.flushInterval ?? FLUSH_SECONDS);
  return seconds > 0 ? t("events-in.log.late-store", { store, count: seconds }) : undefined;
}

type StoreSettings = { module: unknown; config: { cache?: unknown; flushInterval?: unknown } };

/** How a store is set up; without any settings, Node-RED has one in memory. */
export function storeOf({ settings }: NodeAPI, name: string): StoreSettings {
  const { contextStorage } = settings as { contextStorage?: Record<string, unknown> };
  if (!contextStorage || Object.keys(contextStorage).length === 0) return { module: "memory", config: {} };
  const named = contextStorage[name];
  // The default may be the name of another one.
  const found = typeof named === "string" ? contextStorage[named] : named;
  const { module, config } = (found ?? {}) as { module?: unknown; config?: StoreSettings["config"] };
  return { module, config: config ?? {} };
}

/** Returns the function that logs every unusual state of the folder. */
export function folderNotices(
  context: Pick<NodeContext, "RED" | "t">,
  folder: string,
): (state: FolderState) => void {
  const { t } = context;
  const { log } = context.RED;
  let waits = false;
  return (state) => {
    if (state.kind === "elsewhere") {
      waits = true;
      const say = (text: string) => `[events in] ${t(text, { folder, ...heldBy(state) })}`;
      if (state.lost) log.warn(say("events-in.warning.folder-lost"));
      else if (state.isAlive) log.warn(say("events-in.warning.folder-in-use"));
      // As after a crash. No action is needed.
      else log.info(say("events-in.log.folder-silent"));
    } else if (state.kind === "held") {
      if (waits) log.info(`[events in] ${t("events-in.log.folder-free", { folder })}`);
      waits = false;
    }
  };
}

/** Who has the folder, for a status and the log. */
export function heldBy({ holder }: FolderState & { kind: "elsewhere" }) {
  const { host = "?", pid = 0, since = "?" } = holder ?? {};
  return { host, pid, since: since.replace(/\.\d+Z$/, "Z"), seconds: LOCK_TIMES.staleMs / 1000 };
}

/** Returns the function that logs which copy reads, for hosts where nobody sees the editor. */
export function leaseNotices({
  node,
  t,
  name: consumer,
}: Pick<NodeContext, "node" | "t"> & { name: string }): (state: LeaseState) => void {
  let hasRead = false;
  return (state) => {
    if (state.kind === "held") node.log(t("events-in.log.reads", { consumer }));
    if (state.kind === "elsewhere") {
      const text = t("events-in.log.standby", { consumer, copy: state.holder.copy.name });
      // It was suspended, or cut off from the shared state.
      if (hasRead) node.warn(text);
      else node.log(text);
    }
    if (state.kind === "waiting_for_share") {
      const { share, copies } = state;
      node.log(t("events-in.log.standby-share", { consumer, share, copies }));
    }
    if (state.kind !== "looking" && state.kind !== "error") hasRead = state.kind === "held";
  };
}
