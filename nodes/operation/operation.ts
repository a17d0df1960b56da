import type { Node, NodeAPI, NodeDef } from "node-red";
import type { OperationStatus } from "../../src/index.ts";
import { isSameId } from "../../src/protocol/index.ts";
import { previewOfOperation } from "../lib/runtime/call-preview.ts";
import { channelOf, signerOf } from "../lib/runtime/config-nodes.ts";
import { clientFor } from "../lib/runtime/created.ts";
import { channelOverride, withDetails } from "../lib/runtime/details.ts";
import { oneOf, readText, requireText, waitMs } from "../lib/runtime/fields.ts";
import { answer, onInput } from "../lib/runtime/input.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";
import { targetStatus } from "../lib/runtime/operation.ts";
import { proofCheckOf, shownStatus } from "../lib/runtime/operation-proof.ts";
import { showStatus } from "../lib/runtime/status.ts";
import { nodeError } from "../lib/shared/errors.ts";
import { ACTIONS } from "./actions.ts";

export type OperationDef = NodeDef & {
  channel?: string;
  /** A key of ACTIONS. */
  action?: string;
  /** The operation's id. */
  operation?: string;
  operationType?: string;
  /** The config node that signs a draft that is finalized. */
  signer?: string;
  /** The digest of what was approved, so that nothing else is signed. */
  digest?: string;
  digestType?: string;
  /** Statuses to list; all where none is chosen. */
  statuses?: OperationStatus[];
  /** How many to list at most. */
  limit?: string | number;
  /** A status from `accepted` to `confirmed`; empty for what is usual for the action. */
  waitFor?: string;
  /** Seconds to wait for it. */
  timeout?: string | number;
};

const DEFAULT_TIMEOUT_SECONDS = 300;
const DEFAULT_LIMIT = 100;

export default function register(RED: NodeAPI): void {
  function ConstructOperation(this: Node, def: OperationDef): void {
    RED.nodes.createNode(this, def);

    onInput(RED, this, def, async ({ msg, send, signal }) => {
      const name = def.action ?? "get";
      const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
      if (!action) {
        throw nodeError("UNKNOWN_ACTION", `"${name}" is not an action of this node. Choose one in its form.`);
      }
      showStatus(this, "working", "operation.status.working");
      const incoming = msg.crec;
      const channel = channelOf(RED, def.channel);
      const connection = channel.connection();
      const client = await clientFor(connection, msg);
      const channelId = channelOverride(msg) ?? (await channel.resolve(signal));
      const { payload, crec } = await action({
        client,
        channelId,
        signal,
        operationId: async () => {
          const field = { label: "Operation", value: def.operation, type: def.operationType };
          const operationId = (await requireText(RED, this, msg, field)).trim();
          // A Catch node needs the operation: a wait that was interrupted is resumed by its id.
          msg.crec = withDetails(msg, { channelId, operationId });
          return operationId;
        },
        preview: (operation) => previewOfOperation(RED, operation),
        signer: () => signerOf(RED, def.signer).signer(),
        digest: () => digestOf(RED, this, msg, def),
        target: (usual) => targetStatus(def.waitFor, usual),
        timeoutMs: () => waitMs(def.timeout, DEFAULT_TIMEOUT_SECONDS),
        statuses: await statusesOf(def),
        most: () => limitOf(def),
        onStatus: (status, verification) =>
          showStatus(this, "working", shownStatus(RED, status, verification)),
        onFound: ({ operation, digest }) => {
          msg.crec = withDetails(msg, { operationId: operation.operation_id, digest, found: true });
        },
        operationKey: operationKeyOf(msg),
        walletOperationId: (operationId) => walletOperationIdIn(incoming, operationId),
        proofCheck: () => proofCheckOf(connection),
      });
      send(answer(msg, payload, crec));
      const { status, verification } = crec;
      const shown = status === undefined ? "operation.status.done" : status;
      showStatus(this, "done", verification ? shownStatus(RED, shown, verification) : shown);
    });
  }
  RED.nodes.registerType("crec-operation", ConstructOperation);
}

/** The library uses it only where the operation's id was made from it. */
function operationKeyOf({ crec }: CrecMessage): string | undefined {
  const key = crec?.operationKey;
  return typeof key === "string" || typeof key === "number" ? String(key) : undefined;
}

/** A message may carry the id of another operation than the given one. */
function walletOperationIdIn(crec: CrecMessage["crec"], operationId: string): string | undefined {
  const { operationId: its, walletOperationId: id } = crec ?? {};
  const isSame = typeof its === "string" && isSameId(its.trim(), operationId);
  return isSame && typeof id === "string" && /^\d+$/.test(id) ? id : undefined;
}

/** @throws MISSING_VALUE when the message should bring it and does not: something else might be signed then */
async function digestOf(
  RED: NodeAPI,
  node: Node,
  msg: CrecMessage,
  { digest: value, digestType: type }: OperationDef,
): Promise<string | undefined> {
  if ((value ?? "").trim() === "") return undefined;
  const digest = await readText(RED, node, msg, { label: "Digest", value, type });
  if (digest !== undefined && digest.trim() !== "") return digest.trim();
  const message = `"Digest" is empty, so it is not known what was approved. Let the message bring it in ${type}.${value}, as the draft did, or empty the field to sign whatever the draft holds. Nothing was signed.`;
  throw nodeError("MISSING_VALUE", message);
}

/** @throws INVALID_FIELD */
async function statusesOf({ statuses = [] }: OperationDef): Promise<OperationStatus[]> {
  const known = Object.keys((await loadLibrary()).OPERATION_LIFECYCLE) as OperationStatus[];
  return statuses.flatMap((status) => oneOf("Statuses", status, known) ?? []);
}

function limitOf({ limit }: OperationDef): number {
  const most = limit === undefined || limit === "" ? DEFAULT_LIMIT : Number(limit);
  if (Number.isSafeInteger(most) && most > 0) return most;
  throw nodeError("INVALID_FIELD", `"At most" must be a whole number above 0, not "${limit}".`);
}
