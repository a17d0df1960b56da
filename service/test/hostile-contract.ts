import { concatHex, type Hex, numberToHex, size } from "viem";
import { signatureHash, signatureOf } from "../../src/abi/index.ts";
import type { EventFragment } from "../../src/protocol/index.ts";
import type { Api } from "./support.ts";
import { mined, rpc } from "./transactions.ts";

const OP = {
  STOP: "0x00",
  SUB: "0x03",
  LT: "0x10",
  ISZERO: "0x15",
  CALLDATALOAD: "0x35",
  CALLDATASIZE: "0x36",
  CALLDATACOPY: "0x37",
  JUMP: "0x56",
  JUMPI: "0x57",
  JUMPDEST: "0x5b",
  SWAP1: "0x90",
} as const;
const WORD = 32;
/** Calls of functions are shorter than this: longer ones emit. */
const LONGEST_CALL = 100;
/** What a call that emits has before the data: how many logs, their size, and four topics. */
const HEAD = 6 * WORD;
/** Below the limit of a transaction. */
const GAS = "0xf42400";
const SENDER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/** What a contract does when one of its functions is called: its code, which may need to know where it begins. */
export type Behaviour = Hex | ((start: number) => Hex);

/** Ends of a call that are no plain answer. */
export const FAILURES: Readonly<Record<string, Behaviour>> = {
  "an invalid opcode": "0xfe",
  "an unknown opcode": "0x0c",
  "an empty stack": "0x50",
  "a full stack": (start) => concatHex([OP.JUMPDEST, push(0), push(start), OP.JUMP]),
  "a jump to nowhere": concatHex([push(0), OP.JUMP]),
  "too much memory": concatHex(["0x7f", `0x7f${"ff".repeat(31)}`, "0x51"]),
  "return data that is not there": concatHex([push(WORD), push(0), push(0), "0x3e", OP.STOP]),
  "all gas": (start) => concatHex([OP.JUMPDEST, push(start), OP.JUMP]),
  "a revert without data": concatHex([push(0), push(0), "0xfd"]),
};

/** Answers that are not what the function returns. */
export const ODD_ANSWERS: Readonly<Record<string, Behaviour>> = {
  nothing: OP.STOP,
  // Words of ones: no offset, length or address is one.
  garbage: concatHex([push(0), "0x19", push(0), "0x52", push(WORD), push(0), "0xf3"]),
  "a megabyte of zeros": concatHex(["0x62", numberToHex(1_000_000, { size: 3 }), push(0), "0xf3"]),
  // Each word is 32: every offset and every length is the same one.
  "the same offset everywhere": (start) => {
    // i = 0; do { mem[i] = 32; i += 32 } while (i < 4096); return mem[0..4096]
    const loop = start + size(push(0));
    const body = concatHex([OP.JUMPDEST, push(WORD), "0x81", "0x52", push(WORD), "0x01"]);
    const again = concatHex([push(4096), "0x81", OP.LT, push(loop), OP.JUMPI]);
    return concatHex([push(0), body, again, push(4096), push(0), "0xf3"]);
  },
};

/** Puts such a contract on the chain: it behaves so when a function is called, and emits when `emitFrom` calls it. */
export async function hostileContract(
  api: Api,
  address: Hex,
  topics: number,
  calls: Behaviour,
): Promise<void> {
  await rpc(api, "anvil_setCode", [address, codeOf(topics, calls)]);
}

/** Logs of one contract, in one transaction. */
export type Emission = { topics: readonly Hex[]; data?: Hex; count?: number; bytes?: number };

/** Has the contract emit, and returns the hash of the transaction once it is in a block. */
export async function emitFrom(
  api: Api,
  to: Hex,
  { topics, data = "0x", count = 1, bytes = size(data) }: Emission,
): Promise<string> {
  const words = [numberToHex(count, { size: WORD }), numberToHex(bytes, { size: WORD })];
  const padded = Array.from({ length: 4 }, (_, index) => topics[index] ?? numberToHex(0, { size: WORD }));
  const call = { from: SENDER, to, gas: GAS, data: concatHex([...words, ...padded, data]) };
  const hash = await rpc<string>(api, "eth_sendTransaction", [call]);
  const { status } = await mined(api, hash);
  if (status !== "0x1") throw new Error(`The transaction that emits failed: ${status}.`);
  return hash;
}

/** Topics and data of an event with zeros everywhere: as many as it has. */
export function emptyEvent(fragment: EventFragment): Emission & { topics: Hex[]; data: Hex } {
  const indexed = fragment.inputs.filter((input) => input.indexed === true).length;
  const zero = numberToHex(0, { size: WORD });
  const topics = [signatureHash(signatureOf(fragment)), ...Array.from({ length: indexed }, () => zero)];
  return { topics, data: concatHex(Array.from({ length: fragment.inputs.length - indexed }, () => zero)) };
}

function codeOf(topics: number, calls: Behaviour): Hex {
  const before = (answer: number) =>
    concatHex([OP.CALLDATASIZE, push(LONGEST_CALL), OP.LT, OP.ISZERO, push(answer), OP.JUMPI]);
  const start = size(before(0));
  const emitting = emitCode(topics, start);
  const answer = start + size(emitting);
  const code = typeof calls === "function" ? calls(answer + 1) : calls;
  return concatHex([before(answer), emitting, OP.JUMPDEST, code]);
}

/** while (count > 0) { log(data, topics); count -= 1 } */
function emitCode(topics: number, start: number): Hex {
  const load = (at: number) => concatHex([push(at), OP.CALLDATALOAD]);
  const copy = concatHex([push(HEAD), OP.CALLDATASIZE, OP.SUB, push(HEAD), push(0), OP.CALLDATACOPY]);
  const head = concatHex([copy, load(0)]);
  const loop = start + size(head);
  const pushed = Array.from({ length: topics }, (_, index) => load(WORD * (2 + topics - 1 - index)));
  const log = concatHex([...pushed, load(WORD), push(0), numberToHex(0xa0 + topics, { size: 1 })]);
  const next = concatHex([push(1), OP.SWAP1, OP.SUB, push(loop), OP.JUMP]);
  const test = (end: number) => concatHex([OP.JUMPDEST, "0x80", OP.ISZERO, push(end), OP.JUMPI]);
  const end = loop + size(test(0)) + size(log) + size(next);
  return concatHex([head, test(end), log, next, OP.JUMPDEST, OP.STOP]);
}

/** With two bytes, whatever the value: the length of code does not depend on where it jumps to. */
function push(value: number): Hex {
  return concatHex(["0x61", numberToHex(value, { size: 2 })]);
}
