import type { Node, NodeAPI } from "node-red";
import type { Query } from "../../src/index.ts";
import { channelOf } from "../lib/config-nodes.ts";
import { clientFor, createdOf } from "../lib/created.ts";
import { nodeError } from "../lib/errors.ts";
import { channelOverride, noted, waitMs } from "../lib/fields.ts";
import { answer, onInput } from "../lib/input.ts";
import { loadLibrary } from "../lib/library.ts";
import { showStatus } from "../lib/status.ts";
import { questionOf, type RunQueryDef } from "./request.ts";

const DEFAULT_TIMEOUT_SECONDS = 60;

/** Ports: result (once), and status (each change on the way). */
export default function register(RED: NodeAPI): void {
  function ConstructRunQuery(this: Node, def: RunQueryDef): void {
    RED.nodes.createNode(this, def);

    onInput(RED, this, def, async ({ msg, send, signal }) => {
      showStatus(this, "working", "run-query.status.asking");
      const timeoutMs = waitMs(def.timeout, DEFAULT_TIMEOUT_SECONDS);
      const channel = channelOf(RED, def.channel);
      const client = await clientFor(channel.connection(), msg);
      const channelId = channelOverride(msg) ?? (await channel.resolve(signal));
      const { request, abi, read } = await questionOf(RED, this, def, msg);
      const { query_id: queryId } = await client.queries.create(channelId, request, { signal });
      const ids = { channelId, queryId };
      msg.crec = noted(msg, { ...ids, ...createdOf(client, msg, ids) });

      const onStatus = ({ status }: Query) => {
        showStatus(this, "working", status);
        send(null, { ...answer(msg, { status }, { status }), topic: `query.status/${status}` });
      };
      const query = await client.queries.waitFor(channelId, queryId, {
        target: "completed",
        timeoutMs,
        signal,
        onStatus,
        abi,
      });
      const { decodeQuery } = await loadLibrary();
      const asked = { queryId, chainSelector: request.chain_selector, params: request.params };
      const verification =
        def.verify === false
          ? undefined
          : await (await channel.connection().verifier()).verifyQuery(query, { channelId, requested: asked });
      if (verification?.verified === false) {
        msg.crec = { ...msg.crec, status: query.status, verification };
        throw nodeError(
          "QUERY_NOT_VERIFIED",
          `The result of the query is not proven: ${verification.message}`,
        );
      }
      const { result: raw = "0x", block } = decodeQuery(query);
      const crec = { status: query.status, block, raw, ...(verification ? { verification } : {}) };
      send(answer(msg, read(raw), crec), null);
      showStatus(this, "done", query.status);
    });
  }
  RED.nodes.registerType("crec-run-query", ConstructRunQuery);
}
