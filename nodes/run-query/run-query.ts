import type { Node, NodeAPI } from "node-red";
import type { CreatedQuery, CreateQuery, Query, WaitError } from "../../src/index.ts";
import { channelOf } from "../lib/runtime/config-nodes.ts";
import { clientFor, createdOf } from "../lib/runtime/created.ts";
import { withDetails } from "../lib/runtime/details.ts";
import { explainFailure, failureSentence } from "../lib/runtime/failure.ts";
import { fieldReader } from "../lib/runtime/field-reader.ts";
import { answer, onInput } from "../lib/runtime/input.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import { showStatus } from "../lib/runtime/status.ts";
import { nodeError } from "../lib/shared/errors.ts";
import { NODE, type RunQueryDef } from "./fields.ts";
import { questionOf } from "./request.ts";

/** Outputs: result (once), and status (each status of the query). */
export default function register(RED: NodeAPI): void {
  function ConstructRunQuery(this: Node, def: RunQueryDef): void {
    RED.nodes.createNode(this, def);
    const fields = fieldReader(RED, this, NODE, def);

    onInput(RED, this, def, async ({ msg, send, signal }) => {
      showStatus(this, "working", "run-query.status.asking");
      const timeoutMs = fields.milliseconds("timeout");
      const channel = channelOf(RED, def.channel);
      const client = await clientFor(channel.connection(), msg);
      const channelId = fields.of(msg).override("channel") ?? (await channel.resolve(signal));
      const { request, abi, read } = await questionOf(RED, this, fields, msg);
      const verifier = fields.flag("verify") ? await channel.connection().verifier() : undefined;
      const onCreated = ({ query_id: queryId }: CreatedQuery) => {
        const ids = { channelId, queryId };
        msg.crec = withDetails(msg, { ...ids, ...createdOf(client, msg, ids) });
      };
      const onStatus = ({ status }: Query) => {
        showStatus(this, "working", status);
        send(null, { ...answer(msg, { status }, { status }), topic: `query.status/${status}` });
      };
      const { QueryNotVerifiedError, WaitError } = await loadLibrary();
      const running = { verifier, abi, timeoutMs, signal, onCreated, onStatus };
      const answered = await client.queries.run(channelId, request, running).catch(async (error: unknown) => {
        if (error instanceof QueryNotVerifiedError) {
          const { query, verification } = error;
          msg.crec = withDetails(msg, { status: query.status, verification });
        }
        throw error instanceof WaitError ? await withReasonFirst(RED, error, request) : error;
      });
      const { query, block, data: raw, verification } = answered;
      const crec = { status: query.status, block, raw, ...(verification ? { verification } : {}) };
      send(answer(msg, read(raw), crec), null);
      showStatus(this, "done", query.status);
    });
  }
  RED.nodes.registerType("crec-run-query", ConstructRunQuery);
}

/** Of a query that ended without a result; of any other wait, the error as it is. */
async function withReasonFirst(RED: NodeAPI, error: WaitError, request: CreateQuery): Promise<Error> {
  const { code, id, lastStatus, reason } = error;
  if (!lastStatus || !reason) return error;
  const call = { chainSelector: request.chain_selector, to: request.params.contract_address };
  const failure = await explainFailure(RED, reason, [call]);
  return nodeError(code, `${failureSentence(lastStatus, failure, "The query has no result")} Query ${id}.`);
}
