import type { ReadyInfo } from "../../service/src/index.ts";
import type { FlowNode } from "./node-red.ts";

/** The nodes that act and ask, as a flow file holds them; `properties` say what a test wants otherwise. */

type Properties = Partial<FlowNode>;

export const TOKEN_ABI = [
  "function transfer(address to, uint256 value) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "error InsufficientBalance(address holder, uint256 balance, uint256 needed)",
].join("\n");

export const COUNTER_ABI = [
  "function add(uint256 amount)",
  "function count() view returns (uint256)",
  "function failWithReason(string reason)",
  "function failWithError(uint256 amount) view",
  "function failWithPanic(uint256 divisor) pure returns (uint256)",
  "error Refused(address caller, uint256 amount)",
].join("\n");

export const REGISTRY_ABI =
  "function latest(bytes32 sensorId) view returns (int256 value, uint64 takenAt, uint8 quality, bool alarm)";

/** A typed input, as a form stores it. */
export function value(text: string, type = "str"): { value: string; type: string } {
  return { value: text, type };
}

export function signerNode(privateKey: string | undefined, properties: Properties = {}): FlowNode {
  return {
    id: "signer",
    type: "crec-signer",
    address: "",
    ...(privateKey === undefined ? {} : { credentials: { privateKey } }),
    ...properties,
  };
}

export function walletNode(ready: ReadyInfo, properties: Properties = {}): FlowNode {
  return {
    id: "wallet",
    type: "crec-wallet",
    connection: "connection",
    chainSelector: ready.chain_selector,
    wallet: "harness-wallet",
    signer: "signer",
    ...properties,
  };
}

/** A call of a function of a contract, one typed input a parameter. */
export function call(contract: string, signature: string, ...args: ReadonlyArray<ReturnType<typeof value>>) {
  return { kind: "contract", contract, function: signature, args, amount: value("") };
}

/** Sends `msg.payload` tokens to `msg.to`. */
export function submitNode(properties: Properties = {}): FlowNode {
  return {
    id: "submit",
    type: "crec-submit-operation",
    channel: "channel",
    wallet: "wallet",
    source: "form",
    calls: [call("token", "transfer(address,uint256)", value("to", "msg"), value("payload", "msg"))],
    transactions: "payload",
    transactionsType: "msg",
    waitFor: "confirmed_latest",
    timeout: "20",
    deadline: "15",
    follow: true,
    ...properties,
  };
}

/** Gets the operation of `msg.crec.operationId`. */
export function operationNode(action: string, properties: Properties = {}): FlowNode {
  return {
    id: action,
    type: "crec-operation",
    channel: "channel",
    action,
    operation: "crec.operationId",
    operationType: "msg",
    signer: "signer",
    digest: "crec.digest",
    digestType: "msg",
    statuses: [],
    limit: "100",
    waitFor: "",
    timeout: "20",
    ...properties,
  };
}

/** Asks for the tokens of `msg.payload`. */
export function queryNode(properties: Properties = {}): FlowNode {
  return {
    id: "query",
    type: "crec-run-query",
    channel: "channel",
    kind: "contract",
    call: call("token", "balanceOf(address)", value("payload", "msg")),
    chainSelector: "",
    to: "",
    toType: "str",
    data: "",
    dataType: "str",
    block: "latest",
    blockNumber: "",
    blockNumberType: "str",
    from: "",
    fromType: "str",
    verify: true,
    timeout: "20",
    ...properties,
  };
}
