import type { Node, NodeAPI, NodeDef } from "node-red";
import type { BlockSelection, CreateQuery, Query } from "../../src/index.ts";
import { encodeContractCall } from "../lib/calls.ts";
import { channelOf, contractOf } from "../lib/config-nodes.ts";
import { nodeError } from "../lib/errors.ts";
import { channelOverride, readText, requireText, waitMs } from "../lib/fields.ts";
import type { ContractCall, Value } from "../lib/form-types.ts";
import { answer, type CrecMessage, onInput } from "../lib/input.ts";
import { loadLibrary } from "../lib/library.ts";
import { showStatus } from "../lib/status.ts";

export type RunQueryDef = NodeDef & {
  channel?: string;
  /** A function picked from a contract, or raw call data. */
  kind?: "contract" | "raw";
  contract?: string;
  call?: ContractCall;
  chainSelector?: string;
  to?: string;
  toType?: string;
  data?: string;
  dataType?: string;
  block?: BlockSelection["type"];
  blockNumber?: string;
  blockNumberType?: string;
  /** Whose call it is to be, as the contract sees it. */
  from?: string;
  fromType?: string;
  verify?: boolean;
  /** Seconds. */
  timeout?: string | number;
};

const DEFAULT_TIMEOUT_SECONDS = 60;

/** Ports: result (once), and status (each change on the way). */
export default function register(RED: NodeAPI): void {
  function ConstructRunQuery(this: Node, def: RunQueryDef): void {
    RED.nodes.createNode(this, def);

    onInput(RED, this, async ({ msg, send, signal }) => {
      showStatus(this, "working", "run-query.status.asking");
      const timeoutMs = waitMs(def.timeout, DEFAULT_TIMEOUT_SECONDS);
      const channel = channelOf(RED, def.channel);
      const client = await channel.connection().client();
      const channelId = channelOverride(msg) ?? (await channel.resolve(signal));
      const abi = def.kind === "raw" ? undefined : await contractOf(RED, callOf(def).contract).abi();
      const request = await requestOf(RED, this, def, msg);
      const { query_id: queryId } = await client.queries.create(channelId, request, { signal });
      msg.crec = { ...msg.crec, channelId, queryId };

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
      const { decodeFunctionResult, decodeQuery } = await loadLibrary();
      const asked = { queryId, chainSelector: request.chain_selector, params: request.params };
      const verification =
        def.verify === false
          ? undefined
          : await (await channel.connection().verifier()).verifyQuery(query, { channelId, asked });
      if (verification?.verified === false) {
        msg.crec = { ...msg.crec, status: query.status, verification };
        throw nodeError(
          "QUERY_NOT_VERIFIED",
          `The result of the query is not proven: ${verification.message}`,
        );
      }
      const { result: raw = "0x", block } = decodeQuery(query);
      const payload = abi
        ? decodeFunctionResult({ abi, function: def.call?.function ?? "", data: raw })
        : raw;
      const crec = { status: query.status, block, raw, ...(verification ? { verification } : {}) };
      send(answer(msg, payload, crec), null);
      showStatus(this, "done", query.status);
    });
  }
  RED.nodes.registerType("crec-run-query", ConstructRunQuery);
}

async function requestOf(RED: NodeAPI, node: Node, def: RunQueryDef, msg: CrecMessage): Promise<CreateQuery> {
  const read = (label: string, { value, type }: Value) => readText(RED, node, msg, { label, value, type });
  const from = await read("From", given(def.from, def.fromType));
  const block_selection = await blockOf(def, (value) =>
    requireText(RED, node, msg, { label: "Block number", value: value.value, type: value.type }),
  );
  const target =
    def.kind === "raw"
      ? {
          chainSelector: (def.chainSelector ?? "").trim(),
          to: await requireText(RED, node, msg, {
            label: "Contract address",
            value: def.to,
            type: def.toType,
          }),
          data: (await read("Call data", given(def.data, def.dataType))) ?? "0x",
        }
      : await encodeContractCall(RED, node, msg, callOf(def), "args");
  return {
    chain_selector: target.chainSelector,
    params: {
      contract_address: target.to,
      call_data: target.data,
      block_selection,
      ...(from ? { from_address: from } : {}),
    },
  };
}

async function blockOf(def: RunQueryDef, read: (value: Value) => Promise<string>): Promise<BlockSelection> {
  if (def.block === "block_number") {
    return { type: "block_number", block_number: await read(given(def.blockNumber, def.blockNumberType)) };
  }
  return { type: def.block ?? "latest" };
}

function given(value: string | undefined, type: string | undefined): Value {
  return { ...(value === undefined ? {} : { value }), ...(type === undefined ? {} : { type }) };
}

function callOf({ contract, call }: RunQueryDef): ContractCall {
  return contract ? { ...call, contract } : (call ?? {});
}
