// Reads the answer of `anvil_dumpState` as bytes: hundreds of megabytes do not fit one string, and parsing would round its
// large integers.

/** Newest blocks that are kept with their transactions; older ones are dropped when anvil starts. */
export const KEPT_BLOCKS = 2000;

const BLOCKS = '"blocks":[';
const TRANSACTIONS = '],"transactions":[';
const AFTER_TRANSACTIONS = '],"historical_states"';

/**
 * The newest block of a complete state.
 *
 * @throws Error when the text is something else.
 */
export function blockOfState(json: Buffer): number {
  const isWhole =
    json.indexOf('{"block":{') === 0 && /\}\s*$/.test(json.toString("latin1", json.length - 16));
  const block = isWhole && json.includes(BLOCKS) ? numberAfter(json, '"best_block_number":') : undefined;
  if (block === undefined) throw new Error("it is not the complete state of a chain");
  return block;
}

/**
 * Whether blocks were made while anvil collected the state, so that accounts are ahead of the blocks: each block stores
 * the hash of its parent in a contract (EIP-2935). `hash` is that of the state's newest block.
 */
export function isTorn(json: Buffer, hash: string): boolean {
  if (numberAfter(json, '"number":') !== blockOfState(json)) return true;
  return json.subarray(0, json.indexOf(BLOCKS)).includes(hash.replace(/^0x0*/, ""));
}

/**
 * The same state without old blocks, in pieces to write one after the other: it keeps the newest `kept` blocks, and all
 * after `neededAfter`.
 */
export function withNewestBlocks(
  json: Buffer,
  { kept = KEPT_BLOCKS, neededAfter = Number.POSITIVE_INFINITY } = {},
): Buffer[] {
  const blocks = json.indexOf(BLOCKS) + BLOCKS.length;
  const blocksEnd = json.indexOf(TRANSACTIONS, blocks);
  const transactions = blocksEnd + TRANSACTIONS.length;
  const end = json.indexOf(AFTER_TRANSACTIONS, transactions);
  const newest = blockOfState(json);
  // Another version of anvil may have another format: it is loaded unchanged.
  if (blocksEnd < 0 || end < 0) return [json];
  const isKept = (number: number) => number > Math.min(newest - kept, neededAfter);
  return [
    json.subarray(0, blocks),
    ...picked(json.subarray(blocks, blocksEnd), '{"header":{', '"number":', isKept),
    json.subarray(blocksEnd, transactions),
    ...picked(json.subarray(transactions, end), '{"info":{"transaction_hash"', '"block_number":', isKept),
    json.subarray(end),
  ];
}

/** The elements of a list whose number is kept, with commas between. */
function picked(
  list: Buffer,
  start: string,
  numberName: string,
  isKept: (number: number) => boolean,
): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = list.indexOf(start); at >= 0; ) {
    const next = list.indexOf(start, at + start.length);
    // The comma between two elements belongs to neither.
    const element = list.subarray(at, next < 0 ? list.length : next - 1);
    const number = numberAfter(element, numberName);
    if (number === undefined || isKept(number)) {
      if (pieces.length > 0) pieces.push(Buffer.from(","));
      pieces.push(element);
    }
    at = next;
  }
  return pieces;
}

/** The number after a name. Anvil writes some as quoted hex. */
function numberAfter(json: Buffer, name: string): number | undefined {
  const at = json.indexOf(name);
  if (at < 0) return undefined;
  const text = json.toString("latin1", at + name.length, at + name.length + 24);
  const found = /^"?(0x[0-9a-f]+|\d+)/i.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
