import type { NodeAPI } from "node-red";
import { type CallPreview, previewOf } from "../../../nodes/common/contracts/call-preview.ts";
import { contractRegistry } from "../../../nodes/common/contracts/contract-registry.ts";
import type { TransactionInput } from "../../../src/index.ts";
import type { ChildHost } from "../host.ts";
import type { NotTried } from "./not-tried.ts";

type Request = Record<string, unknown>;
type Calls = { chainSelector: string; from: string | undefined; calls: TransactionInput[] };

/** The same, with its calls as a person reads them: names of functions, values, and amounts where they are known. */
export async function described(
  RED: NodeAPI,
  host: ChildHost,
  what: NotTried,
  msg: object,
): Promise<NotTried> {
  const found = callsOf(host, what.request);
  if (!found) return what;
  const calls = await previewOf(contractRegistry(RED), found.chainSelector, found.calls);
  const today =
    host.job.askQueries && what.kind === "operation"
      ? await askedToday(host, channelOf(what, msg), found)
      : undefined;
  return {
    kind: what.kind,
    text: `${what.text}: ${calls.map(words).join("; ")}`,
    request: { ...what.request, calls, ...(today ? { today: true, answers: today } : {}) },
  };
}

/** Of an operation or a query that would be sent. */
function callsOf({ job }: ChildHost, request: Request): Calls | undefined {
  const body = (request.body ?? request) as Request;
  const byChain = job.snapshot.networks.find(({ chain_id }) => String(chain_id) === request.chainId);
  const chainSelector = String(body.chain_selector ?? byChain?.chain_selector ?? "");
  const { transactions, params } = body as { transactions?: TransactionInput[]; params?: Request };
  const from = typeof body.address === "string" ? body.address : undefined;
  if (Array.isArray(transactions)) return { chainSelector, from, calls: transactions };
  if (!params?.contract_address) return undefined;
  const call = { to: String(params.contract_address), data: String(params.call_data ?? "0x"), value: "0" };
  return { chainSelector, from: undefined, calls: [call as TransactionInput] };
}

/** The channel of a request, else that of the message: a node notes it there before it signs. */
function channelOf({ request }: NotTried, { crec }: { crec?: Request }): string {
  const [, ofPath] = /^\/channels\/([^/]+)/.exec(String(request.path ?? "")) ?? [];
  return ofPath ?? String(crec?.channelId ?? "");
}

/** Each call for itself: what one changes, the next does not see. */
function askedToday(host: ChildHost, channelId: string, { chainSelector, from, calls }: Calls) {
  return Promise.all(
    calls.map(({ to, data, value }) => {
      const call = { channelId, chainSelector, to, data: String(data ?? "0x"), value: String(value) };
      return host.ask(from === undefined ? call : { ...call, from });
    }),
  );
}

function words({ contract, to, ether, function: signature, args, tokens }: CallPreview): string {
  const values = { ...args, ...tokens };
  const list = Object.entries(values).map(([name, value]) => `${name}: ${plain(value)}`);
  const name = signature?.split("(", 1)[0];
  const paid = ether === undefined ? "" : ` with ${ether} ether`;
  const called = name === undefined ? (contract ?? to) : `${contract ?? to}.${name}(${list.join(", ")})`;
  return `${called}${paid}`;
}

function plain(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
