import { randomUUID } from "node:crypto";
import type { Node, NodeAPI } from "node-red";
import type { CursorState, CursorStore } from "../../src/index.ts";
import { refuseNewer } from "../../src/storage/newer.ts";
import { loadLibrary } from "../common/library.ts";
import { nodeError } from "../common/shared/errors.ts";

/** This process, beside the cursors that it has stored. */
const WRITER = randomUUID();

/** Where a cursor lies in a context store: by consumer, so that it is found again after the node was replaced. */
const KEY = "crec-cursor";

/**
 * Stores the cursor in one of Node-RED's context stores. How well it survives a crash is up to that store:
 * the one in memory forgets it with the process, the one in files writes it some seconds later.
 */
export class ContextCursorStore implements CursorStore {
  readonly #node: Node;
  readonly #key: string;
  readonly #storeName: string;
  readonly #writer: string;
  readonly #onOtherWriter: () => void;
  /** Who stored the cursor that this process knows. */
  #lastWriter: unknown;

  /** `onOtherWriter` is called when another process has stored the cursor since this one loaded or stored it. */
  constructor(
    node: Node,
    consumer: string,
    storeName: string,
    { onOtherWriter, writer = WRITER }: { onOtherWriter: () => void; writer?: string },
  ) {
    this.#writer = writer;
    this.#onOtherWriter = onOtherWriter;
    this.#node = node;
    this.#key = `${KEY}["${consumer.replaceAll(/["\\]/g, "_")}"]`;
    this.#storeName = storeName;
  }

  /** @throws CURSOR_FILE_DAMAGED when something else lies in its place; STATE_FILE_NEWER */
  async load(): Promise<CursorState | undefined> {
    const found = withLists(await this.#read());
    const { CrecError, isCursorState } = await loadLibrary();
    if (found === undefined) return undefined;
    if (isCursorState(found)) {
      const { writer, ...state } = found as Stored;
      this.#lastWriter = writer;
      return state;
    }
    const what = `The cursor in the context store "${this.#storeName}", as ${this.#key},`;
    refuseNewer(
      found,
      { what, lost: "a person or Start decides where to continue" },
      (...text) => new CrecError(...text),
    );
    throw new CrecError(
      "CURSOR_FILE_DAMAGED",
      `What lies in the context store "${this.#storeName}" as ${this.#key} is not a cursor. Reset the cursor to choose where to go on.`,
    );
  }

  async save(state: CursorState): Promise<void> {
    const writer = ((await this.#read()) as Partial<Stored> | undefined)?.writer;
    if (writer !== undefined && writer !== this.#writer && writer !== this.#lastWriter) this.#onOtherWriter();
    await this.#write({ ...state, writer: this.#writer });
    this.#lastWriter = this.#writer;
  }

  #read(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#node.context().global.get(this.#key, this.#storeName, (error: Error | null, value: unknown) => {
        if (error) reject(error);
        else resolve(value);
      });
    });
  }

  #write(stored: Stored): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#node.context().global.set(this.#key, stored, this.#storeName, (error: Error | null) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }
}

/** With the process that has stored it. */
type Stored = CursorState & { writer?: unknown };

/**
 * Stores in Redis that set one property of a value have it encoded by a script there, which does not tell an empty list
 * from an empty object. No part of a cursor is one.
 */
function withLists(found: unknown): unknown {
  if (typeof found !== "object" || found === null) return found;
  const isEmpty = (value: unknown) =>
    typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return Object.fromEntries(
    Object.entries(found).map(([name, value]) => [name, isEmpty(value) ? [] : value]),
  );
}

/**
 * Node-RED takes its default store for one that it does not know: the cursor would not be found, and the node
 * would start over.
 * @throws INVALID_FIELD
 */
export function requireStore({ settings }: NodeAPI, name: string): void {
  const { contextStorage } = settings as { contextStorage?: Record<string, unknown> };
  const names = contextStorage ? Object.keys(contextStorage) : ["memory", "default"];
  if (names.includes(name)) return;
  throw nodeError(
    "INVALID_FIELD",
    `There is no context store "${name}" in Node-RED's settings. Choose another Cursor storage, or add the store to the settings.`,
  );
}
