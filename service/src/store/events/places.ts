/** Events are indexed in blocks of so many offsets. */
export const BLOCK = 4096;

/** Offsets of one block as bits: the place of an offset in its block is the number of its bit. */
export type Places = Uint32Array<ArrayBuffer>;

const WORD_BITS = 32;
const WORDS = BLOCK / WORD_BITS;
const BYTES = BLOCK / 8;
/** More places are read faster as bits. */
const MAX_LIST = 64;

export const blockOf = (offset: number): number => Math.floor(offset / BLOCK);

/**
 * Places in ascending order as they are stored: a few as a list of 16-bit numbers, more as all bits. The length is a
 * multiple of four bytes, so an odd list has its last place twice.
 */
export function stored(places: readonly number[]): Uint8Array {
  if (places.length > MAX_LIST) return new Uint8Array(placesOf(places).buffer);
  const even = places.length % 2 === 0 ? places : [...places, ...places.slice(-1)];
  return new Uint8Array(Uint16Array.from(even).buffer);
}

/** The inverse of `stored`, of some bytes of a buffer. Do not change the result: it can be the buffer itself. */
export function loaded(buffer: ArrayBuffer, start: number, bytes: number): Places {
  return bytes === BYTES
    ? new Uint32Array(buffer, start, WORDS)
    : placesOf(new Uint16Array(buffer, start, bytes / 2));
}

export function placesOf(list: ArrayLike<number>): Places {
  const places = new Uint32Array(WORDS);
  for (let index = 0; index < list.length; index += 1) add(places, list[index] ?? 0);
  return places;
}

export function addAll(places: Places): void {
  places.fill(0xffffffff);
}

function add(places: Places, place: number): void {
  places[place >>> 5] = (places[place >>> 5] ?? 0) | (1 << (place & 31));
}

function remove(places: Places, place: number): void {
  places[place >>> 5] = (places[place >>> 5] ?? 0) & ~(1 << (place & 31));
}

/** Keeps what is in `others` too, and returns whether that is something. */
export function intersect(places: Places, others: Places): boolean {
  let all = 0;
  for (let word = 0; word < WORDS; word += 1) {
    const kept = (places[word] ?? 0) & (others[word] ?? 0);
    places[word] = kept;
    all |= kept;
  }
  return all !== 0;
}

export function unite(places: Places, others: Places): void {
  for (let word = 0; word < WORDS; word += 1) places[word] = (places[word] ?? 0) | (others[word] ?? 0);
}

/** Keeps what is between two places of this block, or of blocks before and after it. */
export function keepBetween(places: Places, first: number, last: number): void {
  for (let place = 0; place < Math.min(first, BLOCK); place += 1) remove(places, place);
  for (let place = Math.max(last + 1, 0); place < BLOCK; place += 1) remove(places, place);
}

export function keepOnly(places: Places, isKept: (place: number) => boolean): void {
  for (const place of each(places, 1)) if (!isKept(place)) remove(places, place);
}

export function count(places: Places): number {
  let total = 0;
  for (let word = 0; word < WORDS; word += 1) {
    // The bits of a word, added in pairs, then in fours, then in eights, then all.
    let bits = places[word] ?? 0;
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    bits = (bits + (bits >>> 4)) & 0x0f0f0f0f;
    total += Math.imul(bits, 0x01010101) >>> 24;
  }
  return total;
}

/** All places in order, upwards or downwards. */
export function* each(places: Places, step: 1 | -1): Generator<number> {
  for (let at = step === 1 ? 0 : WORDS - 1; at >= 0 && at < WORDS; at += step) {
    const bits = places[at] ?? 0;
    if (bits === 0) continue;
    for (let index = 0; index < WORD_BITS; index += 1) {
      const bit = step === 1 ? index : WORD_BITS - 1 - index;
      if ((bits >>> bit) & 1) yield at * WORD_BITS + bit;
    }
  }
}
