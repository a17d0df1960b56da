import type { Node, NodeAPI } from "node-red";
import type { Operation, OperationChange, OperationStatus } from "../../src/index.ts";
import { channelOf, walletOf } from "../lib/config-nodes.ts";
import { nodeError } from "../lib/errors.ts";
import { channelOverride, waitMs } from "../lib/fields.ts";
import { answer, type CrecMessage, onInput } from "../lib/input.ts";
import { loadLibrary } from "../lib/library.ts";
import { showStatus } from "../lib/status.ts";
import { type SubmitOperationDef, transactionsOf } from "./transactions.ts";

/** What ends an operation without its being executed. */
const FAILURES = ["failed", "cancelled", "expired"];
const DEFAULT_TIMEOUT_SECONDS = 300;
const DEFAULT_DEADLINE_MINUTES = 15;

/** Ports: reached (once), and status (each rung of the ladder). */
export default function register(RED: NodeAPI): void {
  function ConstructSubmitOperation(this: Node, def: SubmitOperationDef): void {
    RED.nodes.createNode(this, def);
    let newest = 0;

    onInput(RED, this, async ({ msg, send, signal, afterwards }) => {
      const number = ++newest;
      showStatus(this, "working", "submit-operation.status.signing");
      const { canReach, OPERATION_LIFECYCLE, randomWalletOperationId } = await loadLibrary();
      const timeoutMs = waitMs(def.timeout, DEFAULT_TIMEOUT_SECONDS);
      const target = targetOf(def, Object.keys(OPERATION_LIFECYCLE));
      const channel = channelOf(RED, def.channel);
      const wallet = walletOf(RED, def.wallet);
      const client = await channel.connection().client();
      const channelId = channelOverride(msg) ?? (await channel.resolve(signal));
      const walletOperationId = randomWalletOperationId();
      const request = {
        wallet_operation_id: walletOperationId,
        chain_selector: wallet.chainSelector,
        address: await wallet.address(signal),
        transactions: await transactionsOf(RED, this, def, msg, wallet.chainSelector),
        deadline: deadlineOf(def),
      };
      const signer = await wallet.signer().signer();
      // Whatever happens from here on, Catch must learn which operation it happened to.
      msg.crec = { ...msg.crec, channelId, walletOperationId };
      const { operation, digest } = await client.operations.send(channelId, request, signer, { signal });
      const operationId = operation.operation_id;
      msg.crec = { ...msg.crec, operationId, digest };

      const changes = client.operations.follow(channelId, operationId, { timeoutMs, signal });
      const show = (status: string): void => {
        const kind = FAILURES.includes(status) ? "trouble" : isReached(status) ? "done" : "working";
        showStatus(this, kind, status);
      };
      const report = ({ status, reason }: OperationChange): void => {
        send(null, { ...answer(msg, { status, reason }, { status }), topic: `operation.status/${status}` });
      };
      const isReached = (status: string): boolean =>
        status === target ||
        (Object.hasOwn(OPERATION_LIFECYCLE, status) &&
          !FAILURES.includes(status) &&
          canReach(OPERATION_LIFECYCLE, target, status as OperationStatus));

      for (let next = await changes.next(); !next.done; next = await changes.next()) {
        show(next.value.status);
        report(next.value);
        const { status, reason, transactionHash } = next.value;
        if (FAILURES.includes(status)) throw failure(operationId, status, reason);
        if (!isReached(status)) continue;
        // That it got there is certain, whether or not the service can be asked for the rest just now.
        const now = await client.operations
          .get(channelId, operationId, { signal })
          .catch((error: unknown) => {
            if (signal.aborted) throw error;
            return { ...operation, status };
          });
        send(reached(msg, now, transactionHash), null);
        if (def.follow !== false) {
          // The higher rungs come in their own time: nobody waits for them, but the second port tells.
          afterwards(async () => {
            for await (const change of changes) {
              // A newer message has the say about how the node looks.
              if (number === newest) show(change.status);
              report(change);
            }
          });
        }
        return;
      }
    });
  }
  RED.nodes.registerType("crec-submit-operation", ConstructSubmitOperation);
}

function reached(msg: CrecMessage, operation: Operation, transactionHash: string | undefined): CrecMessage {
  const payload = { ...operation, ...(transactionHash ? { transactionHash } : {}) };
  return answer(msg, payload, { status: operation.status });
}

/** Checked before anything is signed: nobody would ever see that a misspelt rung is reached. */
function targetOf({ waitFor }: SubmitOperationDef, known: readonly string[]): OperationStatus {
  const target = waitFor || "confirmed_latest";
  const rungs = known.filter((status) => status !== "pending_signature" && !FAILURES.includes(status));
  if (rungs.includes(target)) return target as OperationStatus;
  throw nodeError("INVALID_FIELD", `"Wait until" must be one of ${rungs.join(", ")}, not "${target}".`);
}

/** Unix seconds; 0 for none. */
function deadlineOf(def: SubmitOperationDef): number {
  const minutes = Number(
    def.deadline === undefined || def.deadline === "" ? DEFAULT_DEADLINE_MINUTES : def.deadline,
  );
  return minutes === 0 ? 0 : Math.floor(Date.now() / 1000 + minutes * 60);
}

function failure(id: string, status: string, reason: string): Error {
  const why = reason ? `: ${reason}` : "";
  const message = `The operation ${id} is ${status}${why}${/[.!?]$/.test(why) ? "" : "."} It was not carried out.`;
  return nodeError(`OPERATION_${status.toUpperCase()}`, message);
}
