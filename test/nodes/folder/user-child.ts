/**
 * A process of some user that uses the state folder of `CREC_STATE_DIR` as nodes do, with the user directory and the umask
 * that it is given. Says by message what its lock says. At the message "use" it uses each kind of file once and tells
 * what came of it; any other ends it in order.
 */
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import { guardedFiles } from "../../../nodes/common/folder/folder-lease.ts";
import type { FolderState } from "../../../nodes/common/folder/folder-lock.ts";
import { lockedStateFolder } from "../../../nodes/common/folder/migrate-state.ts";
import { useFolder } from "../../../nodes/common/folder/shared-folder.ts";
import { stateFiles, stateRefusals } from "../../../nodes/common/folder/state-files.ts";
import { stateFolderFor } from "../../../nodes/common/folder/state-folder.ts";
import { bindKey } from "../../../nodes/common/keys/binding.ts";
import { fileClaims } from "../../../nodes/common/signing/claims.ts";
import { TaskStore } from "../../../nodes/common/tasks/task-store.ts";
import { ConsumerMemory } from "../../../nodes/events-in/consumer-memory.ts";
import { Ignored } from "../../../plugins/monitor/issues/ignored.ts";
import { FileAlertStore, FileCursorStore, FileDedupeStore } from "../../../src/index.ts";
import { stateFrom } from "../../../src/storage/cursor/cursor-state.ts";

const [userDir = "", umask = ""] = process.argv.slice(2);
process.umask(Number.parseInt(umask, 8));
const who = String(process.getuid?.());
const RED = {
  settings: { userDir },
  log: { info: () => {}, warn: () => {} },
  _: (key: string) => key,
} as unknown as NodeAPI;
const identity = { consumer: "reader", channelId: "channel", service: "https://service.test" };
const files = stateFiles;
const OWNER = "00000000-0000-4000-8000-000000000001";

let state: FolderState = { kind: "looking" };
useFolder(lockedStateFolder(RED), (now) => {
  state = now;
  process.send?.({ kind: now.kind, message: now.kind === "error" ? now.error.message : "" });
});

/** Each reads what is there, and writes. */
const USES: Record<string, () => Promise<unknown>> = {
  cursor: async () => {
    const path = join(stateFolderFor(RED, "cursors"), "reader.json");
    const guarded = state.kind === "held" ? guardedFiles(state.lease) : files;
    const store = new FileCursorStore({ path, files: guarded });
    const found = (await store.load())?.cursor ?? 0;
    await store.save(stateFrom(identity, found + 11), "now");
    return found;
  },
  waits: async () => {
    const store = new TaskStore(RED, "node", OWNER);
    const names = await store.names(OWNER);
    const read = await Promise.all(names.map((name) => store.read(name)));
    const failed = read.find(({ error }) => error);
    if (failed) throw failed.error;
    const record = { version: 1 as const, id: who, service: "", about: {}, msg: {}, cut: [] };
    await store.save(store.nameFor(who, 1), record);
    return read.map(({ record: one }) => one?.id);
  },
  claims: async () => (await fileClaims(RED).claim("one", { digest: who, deadline: 0 })).digest,
  alerts: async () => {
    const warned: string[] = [];
    const path = join(stateFolderFor(RED, "alerts"), "rule.log");
    const store = new FileAlertStore({ path, files, onWarning: (text) => warned.push(text) });
    const found = await store.read("key");
    await store.write("key", found?.revision ?? 0, who);
    await store.close();
    return found?.value ?? warned[0];
  },
  seen: async () => {
    const store = new FileDedupeStore({ path: join(stateFolderFor(RED, "seen"), "verify.log"), files });
    await store.load();
    const result = store.accept("key");
    await store.close();
    return result;
  },
  marks: async () => {
    const memory = new ConsumerMemory(RED, {} as Node, identity);
    const found = await memory.recall();
    await memory.note({ epoch: Number(who) });
    return found?.epoch;
  },
  issues: async () => {
    const ignored = new Ignored(RED);
    const found = [...(await ignored.ids())];
    await ignored.set(who, true);
    return found;
  },
};

process.on("message", async (message) => {
  if (message !== "use") process.exit(0);
  bindKey(join(userDir, "crec-keys.json"), { id: "connection", stored: "key", addresses: [] });
  const used: Record<string, unknown> = {};
  for (const [name, use] of Object.entries(USES))
    used[name] = await use().catch(({ code, message: text }) => ({ code, message: text }));
  process.send?.({ used, refusals: stateRefusals() });
});
process.on("disconnect", () => process.exit(1));
setInterval(() => {}, 1_000);
