import type { Node, NodeAPI } from "node-red";
import type { CrecClient, Operation, OperationChange, OperationStatus, Submitted } from "../../src/index.ts";
import { previewOf } from "../lib/runtime/call-preview.ts";
import { type Connection, channelOf, walletOf } from "../lib/runtime/config-nodes.ts";
import { clientFor, createdOf } from "../lib/runtime/created.ts";
import { withDetails } from "../lib/runtime/details.ts";
import { failureOf } from "../lib/runtime/failure.ts";
import { fieldReader } from "../lib/runtime/field-reader.ts";
import { answer, onInput, type Task } from "../lib/runtime/input.ts";
import { explainReuse } from "../lib/runtime/key-reused.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";
import { reach, statusStyle } from "../lib/runtime/operation.ts";
import { proofCheckOf, shownStatus, verificationOf } from "../lib/runtime/operation-proof.ts";
import { showStatus } from "../lib/runtime/status.ts";
import { refuseTest } from "../lib/runtime/test-message.ts";
import { type Kept, requireSameService } from "../lib/runtime/waits/waits.ts";
import { nodeError } from "../lib/shared/errors.ts";
import { registerOperationPreview } from "./admin/preview.ts";
import { NODE, type SubmitOperationDef } from "./fields.ts";
import { isUnproven, operationKeyOf } from "./operation-key.ts";
import { isFirstTry, noteSender } from "./sender.ts";
import { transactionsOf } from "./transactions.ts";
import { UnderWay } from "./under-way.ts";

/** An operation that was sent, as it is kept while the node waits for it. */
type Sent = {
  channelId: string;
  operation: Operation;
  walletOperationId: string;
  wallet: string;
  chainSelector: string;
  key: string | undefined;
  /** Whether it existed before. */
  found: boolean;
};

type Following = {
  sent: Sent;
  /** Of the message. */
  number: number;
  target: OperationStatus;
  timeoutMs: number;
  connection: Connection;
  client: CrecClient;
};

/** Outputs: reached (once), and status (each status of the operation). A draft goes to the first immediately. */
export default function register(RED: NodeAPI): void {
  function ConstructSubmitOperation(this: Node, def: SubmitOperationDef): void {
    RED.nodes.createNode(this, def);
    const fields = fieldReader(RED, this, NODE, def);
    const underWay = new UnderWay();
    let isWarned = false;
    let newest = 0;

    onInput(
      RED,
      this,
      def,
      async (task) => {
        if (!task.kept) refuseTest(task.msg, fields);
        const number = ++newest;
        const target = fields.choice("waitFor");
        const timeoutMs = fields.milliseconds("timeout");
        const connection = channelOf(RED, fields.settings.channel).connection();
        const client = await clientFor(connection, task.msg);
        try {
          const sent = task.kept ? resumed(task.kept, connection) : await submit(task, connection, client);
          // A draft waits for a person, not for this node.
          if (!sent) return;
          await task.keep({ id: sent.walletOperationId, connection, about: sent });
          await follow(task, { sent, number, target, timeoutMs, connection, client });
        } finally {
          underWay.delete(task.msg);
        }
      },
      { resumes: () => fields.flag("resume") },
    );

    const resumed = (kept: Kept, connection: Connection): Sent => {
      requireSameService(kept, connection);
      showStatus(this, "working", "common.status.resuming");
      return kept.about as Sent;
    };

    const keyOf = (msg: CrecMessage, eventKeyOf: (dedupeKey: string) => string): string | undefined => {
      const onceFor = fields.choice("onceFor");
      const key = operationKeyOf(msg, { onceFor, nodeId: this.id, eventKeyOf });
      if (key === undefined && onceFor === "event" && isUnproven(msg) && !isWarned) {
        isWarned = true;
        this.warn(RED._("submit-operation.warning.unproven"));
      }
      const isOfEvent = key !== undefined && msg.crec?.operationKey === undefined;
      if (isOfEvent && underWay.add(msg, key)) this.warn(RED._("submit-operation.warning.copies"));
      return key;
    };

    const submit = async (
      { msg, send, signal }: Task,
      connection: Connection,
      client: CrecClient,
    ): Promise<Sent | undefined> => {
      const isDraft = fields.choice("mode") === "draft";
      const origin = { ...msg.crec };
      showStatus(this, "working", `submit-operation.status.${isDraft ? "drafting" : "signing"}`);
      const { eventKeyOf, randomWalletOperationId, walletOperationIdOf } = await loadLibrary();
      const key = keyOf(msg, eventKeyOf);
      const isFirst = key !== undefined && isFirstTry(key);
      const channel = channelOf(RED, fields.settings.channel);
      const wallet = walletOf(RED, fields.settings.wallet);
      const channelId = fields.of(msg).override("channel") ?? (await channel.resolve(signal));
      const { chainSelector } = wallet;
      const address = await wallet.address(signal);
      const readable = await transactionsOf(RED, this, fields, msg, chainSelector);
      const request = {
        chain_selector: chainSelector,
        address,
        deadline: deadlineIn(fields.number("deadline")),
      };
      const walletOperationId =
        key === undefined ? randomWalletOperationId() : walletOperationIdOf(key, { chainSelector, address });
      const id = key === undefined ? { wallet_operation_id: walletOperationId } : { operation_key: key };
      // Wrong verification settings are reported before anything is signed.
      if (!isDraft) await proofCheckOf(connection);
      const signer = isDraft ? undefined : await wallet.fittingSigner(signal);
      // From here on, a Catch node gets the operation with every error.
      msg.crec = withDetails(msg, { channelId, walletOperationId });
      // That of an operation that the message was about before does not stay.
      delete msg.crec.usedKey;
      if (key !== undefined) msg.crec.usedKey = key;
      const sending = signer
        ? client.operations.send(
            channelId,
            { ...request, ...id, transactions: readable.map(({ preview, ...call }) => call) },
            signer,
            { signal },
          )
        : client.operations.draft(channelId, { ...request, ...id, transactions: readable }, { signal });
      const { operation, digest, found } = await sending.catch(async (error: unknown) => {
        throw await explainReuse(RED, error);
      });
      const ids = { channelId, operationId: operation.operation_id };
      msg.crec = { ...withDetails(msg, ids), digest, ...createdOf(client, msg, ids) };
      if (key !== undefined) msg.crec.found = found;
      noteSender(operation, {
        found,
        origin,
        isEvent: fields.choice("onceFor") === "event",
        isFirstTry: isFirst,
      });
      if (!isDraft && operation.status === "pending_signature") throw awaitsApproval(operation);
      if (!isDraft) {
        return { channelId, operation, walletOperationId, wallet: address, chainSelector, key, found };
      }
      const preview = await previewOf(RED, wallet.chainSelector, readable);
      send(answer(msg, operation, { status: operation.status, preview }), null);
      showStatus(this, "done", asFound(operation.status, found));
      return undefined;
    };

    const asFound = (status: string, found: boolean) =>
      found ? RED._("submit-operation.status.found", { status }) : status;

    const follow = async (
      { msg, send, signal, afterwards }: Task,
      { sent, number, target, timeoutMs, connection, client }: Following,
    ): Promise<void> => {
      const { channelId, operation, walletOperationId, wallet, chainSelector, key: operationKey } = sent;
      let { found } = sent;
      const show = ({ status, reason, verification }: OperationChange): void => {
        const text = reason
          ? `${status}: ${failureOf(reason).reason}`
          : asFound(shownStatus(RED, status, verification), found);
        showStatus(this, statusStyle(target, status), text);
      };
      const report = ({ status, reason, verification }: OperationChange): void => {
        const crec = { status, verification: verificationOf(verification) };
        send(null, { ...answer(msg, { status, reason }, crec), topic: `operation.status/${status}` });
      };
      const onChange = (change: OperationChange): void => {
        show(change);
        report(change);
      };
      const onFound = (executed: Submitted): void => {
        const { operation_id: operationId } = executed.operation;
        found = true;
        msg.crec = { ...msg.crec, operationId, digest: executed.digest, found: true };
      };
      const proofCheck = await proofCheckOf(connection);
      const verify = proofCheck?.({ walletOperationId, wallet, chainSelector }, channelId);
      const reached = await reach(
        RED,
        { client, channelId, operation },
        { target, timeoutMs, signal, verify, operationKey, onChange, onFound },
      );
      const { status } = reached.operation;
      send(answer(msg, reached.operation, { status, verification: reached.verification }), null);
      if (!fields.flag("follow")) return;
      // The later statuses go to the second output only.
      afterwards(async () => {
        for await (const change of reached.later) {
          // The node shows the status of its newest message.
          if (number === newest) show(change);
          report(change);
        }
      });
    };
  }
  RED.nodes.registerType("crec-submit-operation", ConstructSubmitOperation);
  registerOperationPreview(RED);
}

/** It was created under this key as a draft, for another person to approve, so it is not signed here. */
function awaitsApproval({ operation_id: id }: Operation): Error {
  const message = `Waits for approval: the operation of this key is a draft, so it was not sent. Finalize or cancel it with the node "operation". Operation ${id}.`;
  return nodeError("OPERATION_AWAITS_APPROVAL", message);
}

/** Unix seconds; 0 for none. */
function deadlineIn(minutes: number): number {
  return minutes === 0 ? 0 : Math.floor(Date.now() / 1000 + minutes * 60);
}
