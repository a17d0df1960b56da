import type { Node, NodeAPI } from "node-red";
import type { Operation, OperationChange, OperationStatus } from "../../src/index.ts";
import { channelOf, walletOf } from "../lib/config-nodes.ts";
import { nodeError } from "../lib/errors.ts";
import { override } from "../lib/fields.ts";
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
    const target = (def.waitFor || "confirmed_latest") as OperationStatus;
    const timeoutMs = Number(def.timeout || DEFAULT_TIMEOUT_SECONDS) * 1000;

    onInput(RED, this, async ({ msg, send, signal, afterwards }) => {
      showStatus(this, "working", "submit-operation.status.signing");
      const channel = channelOf(RED, def.channel);
      const wallet = walletOf(RED, def.wallet);
      const client = await channel.connection().client();
      const channelId = override(msg, "channelId") ?? (await channel.resolve(signal));
      const request = {
        chain_selector: wallet.chainSelector,
        address: await wallet.address(signal),
        transactions: await transactionsOf(RED, this, def, msg, wallet.chainSelector),
        deadline: deadlineOf(def),
      };
      const { operation, digest } = await client.operations.send(
        channelId,
        request,
        await wallet.signer().signer(),
        { signal },
      );
      const { operation_id: operationId, wallet_operation_id: walletOperationId } = operation;
      // Whatever happens from here on, Catch must learn which operation it happened to.
      msg.crec = { ...msg.crec, channelId, operationId, walletOperationId, digest };

      const changes = client.operations.follow(channelId, operationId, { timeoutMs, signal });
      const report = ({ status, reason }: OperationChange): void => {
        showStatus(
          this,
          FAILURES.includes(status) ? "trouble" : isReached(status) ? "done" : "working",
          status,
        );
        send(null, { ...answer(msg, { status, reason }, { status }), topic: `operation.status/${status}` });
      };
      const { canReach, OPERATION_LIFECYCLE } = await loadLibrary();
      const isReached = (status: string): boolean =>
        status === target ||
        (Object.hasOwn(OPERATION_LIFECYCLE, status) &&
          !FAILURES.includes(status) &&
          canReach(OPERATION_LIFECYCLE, target, status as OperationStatus));

      for (let next = await changes.next(); !next.done; next = await changes.next()) {
        report(next.value);
        const { status, reason, transactionHash } = next.value;
        if (FAILURES.includes(status)) throw failure(operationId, status, reason);
        if (!isReached(status)) continue;
        send(
          reached(msg, await client.operations.get(channelId, operationId, { signal }), transactionHash),
          null,
        );
        if (def.follow !== false) {
          // The higher rungs come in their own time: nobody waits for them, but the second port tells.
          afterwards(async () => {
            for await (const change of changes) report(change);
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
