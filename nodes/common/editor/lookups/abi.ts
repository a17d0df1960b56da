import type { AbiAnswer } from "../../shared/form-types.ts";
import type { EditedNode } from "../api.ts";
import { postJson, requestFailure } from "./admin-requests.ts";

/** Both are missing while there is no ABI. */
export type Offered<T> = AbiAnswer<T> | { found?: never; problem?: never; unusable?: never; choices?: never };

const FRESH_MS = 5000;
const fresh = new Map<string, { at: number; answer: Promise<AbiAnswer<unknown>> }>();

/** The functions or events of a contract that is known to the editor, deployed or not. */
export function offeredBy<T>(
  node: EditedNode,
  kind: "functions" | "events",
  contract: string,
): Promise<Offered<T>> {
  const found = RED.nodes.node(contract);
  if (typeof found?.abi !== "string") return Promise.resolve({});
  return offeredIn(node, kind, contract, found.abi, found.amounts);
}

/** The same for a text. The contract's id is for an ABI that comes from the environment. */
export function offeredIn<T>(
  node: EditedNode,
  kind: "functions" | "events",
  contract: string,
  abi: string,
  /** The names that the contract gives to its amounts. */
  amounts?: unknown,
): Promise<Offered<T>> {
  if (abi.trim() === "") return Promise.resolve({});
  const key = JSON.stringify([kind, contract, abi, amounts]);
  for (const [old, { at }] of fresh) if (performance.now() - at > FRESH_MS) fresh.delete(old);
  const answer =
    fresh.get(key)?.answer ??
    postJson<{ found: unknown[] }>(`crec/abi/${kind}`, { id: contract, abi, amounts }).catch(
      (failure: unknown) => ({
        problem: requestFailure(node, failure, "crec.read"),
      }),
    );
  // Several calls of one form ask for the same.
  if (!fresh.has(key)) fresh.set(key, { at: performance.now(), answer });
  return answer as Promise<Offered<T>>;
}
