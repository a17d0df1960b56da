import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Node, NodeAPI, NodeDef } from "node-red";
import { alertsPath } from "../../nodes/alert/memory.ts";
import { nodeContext } from "../../nodes/common/context.ts";
import { type InputOptions, onInput, type Task } from "../../nodes/common/fields/input.ts";
import { leaseKey } from "../../nodes/common/fleet/held-leases.ts";
import { noteSharedRule, otherRulesOf } from "../../nodes/common/fleet/shared-rules.ts";
import type { FolderState } from "../../nodes/common/folder/folder-lock.ts";
import { lockedStateFolder } from "../../nodes/common/folder/migrate-state.ts";
import { useFolder } from "../../nodes/common/folder/shared-folder.ts";
import { bindingsPath, bindKey } from "../../nodes/common/keys/binding.ts";
import { fileClaims, sharedClaims } from "../../nodes/common/signing/claims.ts";
import { OWNER, TaskOwners } from "../../nodes/common/tasks/task-owners.ts";
import { ConsumerMemory } from "../../nodes/events-in/consumer-memory.ts";
import { ContextCursorStore } from "../../nodes/events-in/context-store.ts";
import { cursorPath } from "../../nodes/events-in/reader/settings.ts";
import { dedupePath } from "../../nodes/verify-event/settings.ts";
import { Ignored } from "../../plugins/monitor/issues/ignored.ts";
import * as library from "../../src/index.ts";

export type { FolderState };

/** What an event is known by where keys are remembered. */
export type Seen = { delivery: { id: string; redelivered: boolean }; digest: string };

/**
 * The code that stores something, as it is now. This is the only file of these tests that knows where it is: a change that
 * moves or renames it changes nothing else here.
 */
export const PRESENT = {
  library,
  consumerMemory: (RED: NodeAPI, node: Node, identity: library.CursorIdentity) =>
    new ConsumerMemory(RED, node, identity),
  contextStore: (node: Node, consumer: string, store: string) =>
    new ContextCursorStore(node, consumer, store, { onOtherWriter: () => {} }),
  cursorPath,
  seenPath: dedupePath,
  alertsPath,
  /** As `FileDedupeStore.accept`. */
  accept: (store: library.FileDedupeStore, key: string, seen?: Seen): unknown => store.accept(key, seen),
  fileClaims,
  sharedClaims,
  ignored: (RED: NodeAPI) => new Ignored(RED),
  bindKey: (RED: NodeAPI, key: Parameters<typeof bindKey>[1]) => bindKey(bindingsPath(RED), key),
  /** Takes the state folder; the function gives it back. */
  takeFolder: (RED: NodeAPI, listener: (state: FolderState) => void) =>
    useFolder(lockedStateFolder(RED), listener),
  waitOwners: (RED: NodeAPI) => new TaskOwners(RED),
  owner: OWNER,
  onInput: (
    RED: NodeAPI,
    node: Node,
    def: NodeDef,
    work: (task: Task) => Promise<void>,
    options: InputOptions,
  ) => onInput(nodeContext(RED, node), def, work, options),
  leaseKey,
  noteSharedRule,
  otherRulesOf,
};

export type Code = typeof PRESENT;

type Module = { [name: string]: unknown };

/** By their paths in that commit. */
const OLD = {
  library: "src/index.ts",
  ran: "nodes/events-in/ran-before.ts",
  context: "nodes/events-in/context-store.ts",
  settings: "nodes/events-in/settings.ts",
  names: "nodes/lib/runtime/file-name.ts",
  folder: "nodes/lib/runtime/folder/shared-folder.ts",
  use: "nodes/lib/runtime/folder/use-state.ts",
  leases: "nodes/lib/runtime/held-leases.ts",
  input: "nodes/lib/runtime/input.ts",
  keys: "nodes/lib/runtime/keys/binding.ts",
  claims: "nodes/lib/runtime/signing/claims.ts",
  owners: "nodes/lib/runtime/waits/owners.ts",
  ignored: "plugins/monitor/issues/ignored.ts",
};

/** The same of commit 796e9e4c, in a checkout of it. What it did not have yet does nothing. */
export async function codeOf796e9e4c(checkout: string): Promise<Code> {
  const entries = Object.entries(OLD).map(
    async ([name, path]) => [name, await import(pathToFileURL(join(checkout, path)).href)] as const,
  );
  const old = Object.fromEntries(await Promise.all(entries)) as Record<keyof typeof OLD, Module>;
  type Made = new (...given: unknown[]) => object;
  const make = (module: keyof typeof OLD, name: string, ...given: unknown[]): object =>
    new (old[module][name] as Made)(...given);
  const call = (module: keyof typeof OLD, name: string, ...given: unknown[]): unknown =>
    (old[module][name] as (...given: unknown[]) => unknown)(...given);
  const fileOf = (RED: NodeAPI, folder: string, id: string) =>
    join(String(RED.settings.userDir), folder, `${call("names", "fileNameOf", id)}.log`);
  const code = {
    library: old.library,
    consumerMemory: (RED: NodeAPI, node: Node, identity: object) => {
      const ran = make("ran", "RanBefore", RED, node, identity) as { note(): Promise<void> };
      return { note: () => ran.note(), flush: async () => {}, recall: async () => ({}) };
    },
    contextStore: (...given: unknown[]) =>
      make("context", "ContextCursorStore", ...given, { onOtherWriter: () => {} }),
    cursorPath: (...given: unknown[]) => call("settings", "cursorPath", ...given),
    seenPath: (RED: NodeAPI, id: string) => fileOf(RED, "crec-seen", id),
    alertsPath: (RED: NodeAPI, id: string) => fileOf(RED, "crec-alerts", id),
    accept: (store: { accept(...given: unknown[]): unknown }, key: string, seen?: Seen) =>
      store.accept(key, seen?.delivery),
    fileClaims: (RED: NodeAPI) => call("claims", "fileClaims", RED),
    sharedClaims: (shared: unknown) => call("claims", "sharedClaims", shared),
    ignored: (RED: NodeAPI) => make("ignored", "Ignored", RED),
    bindKey: (RED: NodeAPI, key: unknown) =>
      call("keys", "bindKey", join(String(RED.settings.userDir), "crec-keys.json"), key),
    takeFolder: (RED: NodeAPI, listener: unknown) =>
      call("folder", "useFolder", call("use", "lockedStateFolder", RED), listener),
    waitOwners: (RED: NodeAPI) => make("owners", "WaitOwners", RED),
    owner: old.owners.OWNER,
    onInput: (...given: unknown[]) => call("input", "onInput", ...given),
    leaseKey: (...given: unknown[]) => call("leases", "leaseKey", ...given),
    noteSharedRule: async () => {},
  };
  return code as unknown as Code;
}
