import type { Node, NodeAPI } from "node-red";
import { canonicalId, isSameId } from "../../src/protocol/index.ts";
import { newestDrafts } from "../common/approvals/open-drafts.ts";
import { previewOfOperation } from "../common/contracts/call-preview.ts";
import { contractRegistry } from "../common/contracts/contract-registry.ts";
import { channelOf, signerOf } from "../common/fields/config-nodes.ts";
import { type FormContext, formContext } from "../common/fields/field-reader.ts";
import { fittingSigners, walletTypeAt } from "../common/fields/fitting-signer.ts";
import { answer, onInput, type Task } from "../common/fields/input.ts";
import { executionOf, timeAt } from "../common/messages/after-failure.ts";
import { clientFor } from "../common/messages/created.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { refuseTest, withDetails } from "../common/messages/message.ts";
import { proofCheckOf, shownStatus } from "../common/messages/operation-proof.ts";
import { serviceStatus, statusWord } from "../common/messages/service-words.ts";
import { unusualRecipient } from "../common/shared/chain.ts";
import { nodeError, translatedError } from "../common/shared/errors.ts";
import { Asking } from "../common/signing/ask-custodian.ts";
import { showStatus, statusText } from "../common/status/status.ts";
import { requireSameService } from "../common/tasks/durable-task.ts";
import { OperationReports } from "../common/telemetry/operation-reports.ts";
import {
  ACTIONS,
  type Task as ActionTask,
  type KeptUnsigned,
  type KeptWait,
  knownOf,
  resume,
} from "./actions.ts";
import { NODE, type OperationDef } from "./fields.ts";

export default function register(RED: NodeAPI): void {
  function ConstructOperation(this: Node, def: OperationDef): void {
    RED.nodes.createNode(this, def);
    const context = formContext(RED, this, NODE, def);
    const { fields, t } = context;

    const resumes = () => fields.flag("resume");
    const reports = new OperationReports(this, resumes);
    let newest = 0;
    const fitting = fittingSigners(async (address, signal) => {
      const client = await channelOf(RED.nodes, fields.settings.channel).connection().client();
      return walletTypeAt(client, address, signal);
    });
    const signer = () => fitting(signerOf(RED.nodes, fields.settings.signer));

    const act = async ({ msg, send, signal, kept, keep, tell }: Task): Promise<void> => {
      const number = ++newest;
      const name: string = fields.settings.action ?? "get";
      const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
      if (!action) throw translatedError("UNKNOWN_ACTION", t("operation.error.action", { action: name }));
      if (!kept && (name === "finalize" || name === "cancel")) refuseTest(msg, fields);
      showStatus(
        this,
        "working",
        statusText(t, kept ? "common.status.resuming" : "operation.status.working"),
      );
      const incoming = msg.crec;
      const channel = channelOf(RED.nodes, fields.settings.channel);
      const connection = channel.connection();
      const client = await clientFor(connection, msg);
      if (kept) requireSameService(kept, connection);
      const wait = kept?.about as KeptWait | KeptUnsigned | undefined;
      const draft = name === "get" || name === "cancel" ? newestDraft(fields.settings.draftOf) : undefined;
      const channelId =
        (wait ?? draft)?.channelId ?? fields.of(msg).override("channel") ?? (await channel.resolve(signal));
      let asking: Asking | undefined;
      const actions: ActionTask = {
        RED,
        client,
        service: connection.baseUrl,
        channelId,
        signal,
        operationId: async () => {
          const operationId = draft?.operationId ?? (await fields.of(msg).required("operation")).trim();
          // A Catch node needs the operation: a wait that was interrupted is resumed by its id.
          msg.crec = withDetails(msg, { channelId, operationId });
          return operationId;
        },
        preview: (operation) => previewOfOperation(contractRegistry(RED), operation, connection.baseUrl),
        warnOf: ({ transactions, address }) => {
          for (const [index, call] of transactions.entries()) {
            const unusual = unusualRecipient(call, address);
            if (unusual) this.warn(`Call ${index + 1}: ${t(`common.unusual.${unusual.recipient}`, unusual)}`);
            const { to, implementation: from = "", upgraded_to: implementation } = call;
            if (implementation === undefined) continue;
            this.warn(`Call ${index + 1}: ${t("operation.warning.upgraded", { to, from, implementation })}`);
          }
        },
        signer,
        ask: async (unsigned) => {
          const { operationId, walletOperationId, digest, deadline } = unsigned;
          msg.crec = withDetails(msg, { channelId, operationId, walletOperationId, digest, deadline });
          const [isResumed, isPast] = [kept !== undefined, () => number !== newest];
          if (!isResumed) showStatus(this, "working", statusText(t, "operation.status.signing"));
          asking = new Asking(RED, this, { ref: signer, digest, deadline, isResumed, isPast, signal });
          await asking.join();
          await keep({ id: canonicalId(operationId), connection, about: unsigned, isRequired: true });
          return asking;
        },
        digest: () => digestOf(context, msg),
        target: (byDefault) => fields.choice("waitFor") || byDefault,
        timeoutMs: () => fields.milliseconds("timeout"),
        statuses: fields.list("statuses"),
        limit: () => fields.number("limit"),
        onStatus: (status, verification) => showStatus(this, "working", shownStatus(t, status, verification)),
        onFound: ({ operation, digest }) => {
          msg.crec = withDetails(msg, { operationId: operation.operation_id, digest, found: true });
        },
        operationKey: operationKeyOf(msg),
        walletOperationId: (operationId) => walletOperationIdIn(incoming, operationId),
        proofCheck: () => proofCheckOf(connection),
        begin: (known) => reports.begin(known),
        keep: (about) => {
          const id = canonicalId(about.operation.operation_id);
          return keep({ id, connection, about, isLater: asking !== undefined });
        },
        lookOn: async ({ error, wait: reported, report, timeoutMs, verify }) => {
          const { channelId, operation } = reported;
          let { reportedAt } = reported;
          const id = canonicalId(operation.operation_id);
          asking?.leave();
          if (error !== undefined) {
            reportedAt = timeAt(client);
            const about = { ...reported, isReported: true, reportedAt } satisfies KeptWait;
            await keep({ id, connection, about, isLater: true });
          }
          tell(error);
          const change = await executionOf({
            ...{ client, channelId, operation, timeoutMs, reportedAt, verify, signal },
          });
          if (!change) return;
          (report ?? reports.begin(knownOf(channelId, operation))).executed(change);
          this.warn(t("common.warning.executed-after-all", { status: statusWord(t, change.status), id }));
        },
      };
      const acting = wait ? resume(actions, wait) : action(actions);
      const result = await acting.finally(() => asking?.leave());
      if (!result) return;
      const { payload, crec } = result;
      send(answer(msg, payload, crec));
      const { status, verification } = crec;
      if (status === undefined) showStatus(this, "done", statusText(t, "operation.status.done"));
      else
        showStatus(
          this,
          "done",
          verification ? shownStatus(t, status, verification) : serviceStatus(t, status),
        );
    };
    onInput(context, def, act, { resumes });
  }
  RED.nodes.registerType("crec-operation", ConstructOperation);
}

/** @throws MISSING_VALUE */
function newestDraft(id: string | undefined): { channelId: string; operationId: string } | undefined {
  if (!id) return undefined;
  const found = newestDrafts.get(id);
  if (found) return found;
  const message =
    "No draft is known: the chosen node has made none since Node-RED started. Give the operation's id instead.";
  throw nodeError("MISSING_VALUE", message);
}

/** Of submit operation, or of the flow. The library uses it only where the operation's id was made from it. */
function operationKeyOf({ crec }: CrecMessage): string | undefined {
  const key = crec?.usedKey ?? crec?.operationKey;
  return typeof key === "string" || typeof key === "number" ? String(key) : undefined;
}

/** The message may be about another operation than the one in the form. */
function walletOperationIdIn(crec: CrecMessage["crec"], operationId: string): string | undefined {
  const { operationId: its, walletOperationId: id } = crec ?? {};
  const isSame = typeof its === "string" && isSameId(its.trim(), operationId);
  return isSame && typeof id === "string" && /^\d+$/.test(id) ? id : undefined;
}

/** @throws MISSING_VALUE when the message should give it and does not, since another draft could then be signed */
async function digestOf(
  { fields, t }: FormContext<typeof NODE>,
  msg: CrecMessage,
): Promise<string | undefined> {
  const {
    digest: {
      default: byDefault,
      types: [first],
    },
  } = NODE.fields;
  const { digest: stored = byDefault, digestType: type = first } = fields.settings;
  if (stored.trim() === "") return undefined;
  const digest = (await fields.of(msg).text("digest"))?.trim();
  if (digest) return digest;
  const words = { label: fields.label("digest"), from: `${type}.${stored}` };
  throw translatedError("MISSING_VALUE", t("operation.error.no-digest", words));
}
