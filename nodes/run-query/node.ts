import type { Node, NodeAPI } from "node-red";
import type { CreatedQuery, CreateQuery, Query, WaitError } from "../../src/index.ts";
import { canonicalId } from "../../src/protocol/ids.ts";
import { type ContractRegistry, contractRegistry } from "../common/contracts/contract-registry.ts";
import { channelOf } from "../common/fields/config-nodes.ts";
import { formContext } from "../common/fields/field-reader.ts";
import { answer, onInput, type Task } from "../common/fields/input.ts";
import { loadLibrary } from "../common/library.ts";
import { clientFor, createdOf } from "../common/messages/created.ts";
import { explainFailure, failureSentence } from "../common/messages/failure.ts";
import { withDetails } from "../common/messages/message.ts";
import { serviceStatus } from "../common/messages/service-words.ts";
import { nodeError } from "../common/shared/errors.ts";
import { showStatus, statusText } from "../common/status/status.ts";
import { requireSameService } from "../common/tasks/durable-task.ts";
import { blockAgeProblem } from "./block-age.ts";
import { NODE, type RunQueryDef } from "./fields.ts";
import { questionOf } from "./request.ts";

/** A query that was created, as it is kept while the node waits for its result. */
type KeptQuery = { channelId: string; queryId: string; request: CreateQuery };

/** Outputs: result (once), and status (each status of the query). */
export default function register(RED: NodeAPI): void {
  function ConstructRunQuery(this: Node, def: RunQueryDef): void {
    RED.nodes.createNode(this, def);
    const context = formContext(RED, this, NODE, def);
    const { fields, t } = context;

    const act = async ({ msg, send, signal, kept, keep }: Task): Promise<void> => {
      showStatus(this, "working", statusText(t, kept ? "common.status.resuming" : "run-query.status.asking"));
      const timeoutMs = fields.milliseconds("timeout");
      const maxAge = fields.number("maxAge");
      const channel = channelOf(RED.nodes, def.channel);
      const connection = channel.connection();
      const client = await clientFor(connection, msg);
      if (kept) requireSameService(kept, connection);
      const keptQuery = kept?.about as KeptQuery | undefined;
      const channelId =
        keptQuery?.channelId ?? fields.of(msg).override("channel") ?? (await channel.resolve(signal));
      const { request, abi, read } = await questionOf(context, msg, {
        ...{ connection, client, channelId, signal },
      });
      const verifier = fields.flag("verify") ? await connection.verifier() : undefined;
      if (keptQuery) requireSameRequest(keptQuery, request);
      const onCreated = async ({ query_id: queryId }: CreatedQuery) => {
        const ids = { channelId, queryId };
        msg.crec = withDetails(msg, { ...ids, ...createdOf(client, msg, ids) });
        const about: KeptQuery = { channelId, queryId, request };
        // It changes nothing, and may be sent every second: a file for each would wear out an SD card.
        await keep({ id: canonicalId(queryId), connection, about, isCheap: true });
      };
      const onStatus = ({ status }: Query) => {
        showStatus(this, "working", serviceStatus(t, status));
        send(null, { ...answer(msg, { status }, { status }), topic: `query.status/${status}` });
      };
      const { QueryNotVerifiedError, WaitError } = await loadLibrary();
      const options = { verifier, abi, timeoutMs, signal, onStatus };
      const answering = keptQuery
        ? client.queries.resume(channelId, keptQuery.queryId, request, options)
        : client.queries.run(channelId, request, { ...options, onCreated });
      const answered = await answering.catch(async (error: unknown) => {
        if (error instanceof QueryNotVerifiedError) {
          const { query, verification } = error;
          msg.crec = withDetails(msg, { status: query.status, verification });
        }
        throw error instanceof WaitError
          ? await withReasonFirst(contractRegistry(RED), error, request, connection.baseUrl)
          : error;
      });
      const { query, block, data: raw, verification } = answered;
      const crec = { status: query.status, block, raw, ...(verification ? { verification } : {}) };
      const tooOld = maxAge === undefined ? undefined : blockAgeProblem(block, maxAge);
      if (tooOld) {
        msg.crec = withDetails(msg, { status: query.status, block });
        throw tooOld;
      }
      send(answer(msg, read(raw), crec), null);
      showStatus(this, "done", serviceStatus(t, query.status));
    };
    onInput(context, def, act, { resumes: () => fields.flag("resume") });
  }
  RED.nodes.registerType("crec-run-query", ConstructRunQuery);
}

/** @throws WAIT_DROPPED where the form asks something else now, and would misread the result */
function requireSameRequest({ queryId, request }: KeptQuery, now: CreateQuery): void {
  if (JSON.stringify(request) === JSON.stringify(now)) return;
  const message = `The form of the node asks something else now, so the wait was not resumed. Send the message again. Query ${queryId}.`;
  throw nodeError("WAIT_DROPPED", message);
}

/** Of a query that ended without a result; of any other wait, the error as it is. */
async function withReasonFirst(
  registry: ContractRegistry,
  error: WaitError,
  request: CreateQuery,
  service: string,
): Promise<Error> {
  const { code, id, lastStatus, reason } = error;
  if (!lastStatus || !reason) return error;
  const { contract_address: to, call_data: data, from_address: from } = request.params;
  const call = { chainSelector: request.chain_selector, to, data, from };
  const failure = await explainFailure(registry, reason, [call], service);
  return nodeError(code, `${failureSentence(lastStatus, failure, "The query has no result")} Query ${id}.`);
}
