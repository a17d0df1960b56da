import { checksumAddress, decodeAbiParameters } from "viem";
import type {
  AbiInput,
  Confidence,
  EventFragment,
  Network,
  VerifiableEvent,
} from "../../../src/protocol/index.ts";
import type { RawLog } from "../chain/chain.ts";
import { rfc3339 } from "../time.ts";

/** What the oracles say about a log, or undefined when the log does not decode by the fragment. */
export function chainEventStatement(
  network: Network,
  source: { fragment: EventFragment; log: RawLog; timestamp: number; confidence: Confidence },
): VerifiableEvent | undefined {
  const { fragment, log } = source;
  const params = logParams(fragment, log);
  if (params === undefined) return undefined;
  return {
    name: fragment.name,
    timestamp: rfc3339(source.timestamp),
    chain_family: network.chain_family,
    chain_selector: network.chain_selector,
    chain_event: {
      chain_id: network.chain_id,
      block_number: log.blockNumber,
      block_timestamp: source.timestamp,
      confidence: source.confidence,
      tx_hash: log.transactionHash,
      address: checksumAddress(log.address),
      topic_hash: log.topics[0] ?? "0x",
      log_index: log.logIndex,
      event_signature: eventSignature(fragment),
      params,
    },
  };
}

/** `Name(type,type)` with tuples written out: what the topic is the hash of. */
export function eventSignature(fragment: EventFragment): string {
  return `${fragment.name}(${fragment.inputs.map(canonicalType).join(",")})`;
}

function canonicalType(input: AbiInput): string {
  if (!input.type.startsWith("tuple")) return input.type;
  return `(${(input.components ?? []).map(canonicalType).join(",")})${input.type.slice("tuple".length)}`;
}

/** Parameters as the service sends them: snake_case names, integers as decimal strings or small JSON numbers. */
function logParams(fragment: EventFragment, log: RawLog): Record<string, unknown> | undefined {
  try {
    const plain = fragment.inputs.filter((input) => input.indexed !== true);
    const values = decodeAbiParameters(plain as never, log.data) as unknown[];
    const params: Record<string, unknown> = {};
    let topic = 1;
    let value = 0;
    for (const [index, input] of fragment.inputs.entries()) {
      const key = snakeCase(input.name) || `arg${index}`;
      if (input.indexed !== true) {
        params[key] = wireValue(input, values[value++]);
        continue;
      }
      const word = log.topics[topic++] ?? "0x";
      params[key] = isDynamic(input) ? word : indexedValue(input, word);
    }
    return params;
  } catch {
    return undefined;
  }
}

function indexedValue(input: AbiInput, word: `0x${string}`): unknown {
  const [value] = decodeAbiParameters([input] as never, word) as unknown[];
  return typeof value === "number" ? String(value) : wireValue(input, value);
}

/** Types of which a topic holds only the hash. */
function isDynamic({ type }: AbiInput): boolean {
  return type === "string" || type === "bytes" || type.endsWith("]") || type.startsWith("tuple");
}

function wireValue(input: AbiInput, value: unknown): unknown {
  if (Array.isArray(value) && input.type.endsWith("]")) {
    const item = { ...input, type: input.type.slice(0, input.type.lastIndexOf("[")) };
    return value.map((entry) => wireValue(item, entry));
  }
  if (input.type === "tuple") {
    const fields = value as Record<string, unknown> | unknown[];
    return Object.fromEntries(
      (input.components ?? []).map((component, index) => {
        const field = Array.isArray(fields) ? fields[index] : fields[component.name];
        return [snakeCase(component.name) || `arg${index}`, wireValue(component, field)];
      }),
    );
  }
  if (typeof value === "bigint") {
    const bits = Number(/\d+$/.exec(input.type)?.[0] ?? 256);
    return bits <= 64 && input.indexed !== true && Number.isSafeInteger(Number(value))
      ? Number(value)
      : String(value);
  }
  return value;
}

function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
}
