import type { Node } from "node-red";
import type { CursorState, CursorStore } from "../../src/index.ts";

/** Where a cursor lies in a context store: by consumer, so that it is found again after the node was replaced. */
const KEY = "crec-cursor";

/**
 * Keeps the place in one of Node-RED's context stores. How well it survives a crash is up to that store:
 * the one in memory forgets it with the process, the one in files writes it some seconds later.
 */
export class ContextCursorStore implements CursorStore {
  readonly #node: Node;
  readonly #key: string;
  readonly #storeName: string;

  constructor(node: Node, consumer: string, storeName: string) {
    this.#node = node;
    this.#key = `${KEY}["${consumer.replaceAll(/["\\]/g, "_")}"]`;
    this.#storeName = storeName;
  }

  load(): Promise<CursorState | undefined> {
    return new Promise((resolve, reject) => {
      this.#node.context().global.get(this.#key, this.#storeName, (error: Error | null, value: unknown) => {
        if (error) reject(error);
        else resolve(value as CursorState | undefined);
      });
    });
  }

  save(state: CursorState): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#node.context().global.set(this.#key, state, this.#storeName, (error: Error | null) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }
}
