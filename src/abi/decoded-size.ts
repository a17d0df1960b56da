import type { Hex } from "../protocol/index.ts";
import { arrayOf } from "./abi-type.ts";
import type { AbiParameter } from "./types.ts";

/** How many times its own size the data may describe: more than once where parts of it overlap. */
const MOST_TIMES = 2;
const WORD = 32;

/** The data describes too much, or ends too early: which of these is known already. */
class Ends extends Error {}

/**
 * Whether ABI-encoded data describes much more than it holds: pointers may lead to the same bytes again and again, so that
 * some hundred kB would become gigabytes. False for data that does not decode, which the decoder refuses.
 */
export function describesTooMuch(parameters: readonly AbiParameter[], data: Hex): boolean {
  const reader = new Reader(data);
  try {
    reader.list(parameters, 0);
  } catch (error) {
    if (!(error instanceof Ends)) throw error;
  }
  return reader.isTooMuch;
}

class Reader {
  readonly #data: Hex;
  readonly #size: number;
  #left: number;

  constructor(data: Hex) {
    this.#data = data;
    this.#size = (data.length - 2) / 2;
    this.#left = MOST_TIMES * this.#size;
  }

  get isTooMuch(): boolean {
    return this.#left < 0;
  }

  /** Values one after the other, whose pointers count from `base`. */
  list(parameters: readonly AbiParameter[], base: number): void {
    let at = base;
    for (const parameter of parameters) {
      this.#value(parameter, base, at);
      at += headSize(parameter);
    }
  }

  #value(parameter: AbiParameter, base: number, at: number): void {
    const array = arrayOf(parameter);
    const isPointed = isDynamic(parameter);
    // What a pointer leads to has at least the pointer.
    if (isPointed) this.#count(WORD);
    const start = isPointed ? base + this.#number(at) : at;
    if (array !== undefined) this.#items(array, start);
    else if (parameter.type === "tuple") this.list(parameter.components ?? [], start);
    else this.#count(isPointed ? this.#number(start) : WORD);
  }

  #items({ item, length }: { item: AbiParameter; length?: number }, start: number): void {
    const count = length ?? this.#number(start);
    const first = length === undefined ? start + WORD : start;
    const each = headSize(item);
    // Values without any bytes need none to be many.
    this.#count(each === 0 ? count * WORD : 0);
    if (first + count * each > this.#size) throw new Ends();
    if (!isDynamic(item)) {
      this.#count(count * each);
      return;
    }
    for (let index = 0; index < count; index += 1) this.#value(item, first, first + index * each);
  }

  #number(at: number): number {
    if (at + WORD > this.#size) throw new Ends();
    const number = Number(`0x${this.#data.slice(2 + 2 * at, 2 + 2 * (at + WORD))}`);
    if (number > this.#size) throw new Ends();
    return number;
  }

  #count(bytes: number): void {
    this.#left -= bytes;
    if (this.isTooMuch) throw new Ends();
  }
}

/** The bytes of a value where it is listed: of one of variable size, its pointer. */
function headSize(parameter: AbiParameter): number {
  if (isDynamic(parameter)) return WORD;
  const array = arrayOf(parameter);
  if (array !== undefined) return (array.length ?? 0) * headSize(array.item);
  if (parameter.type !== "tuple") return WORD;
  return (parameter.components ?? []).reduce((size, part) => size + headSize(part), 0);
}

function isDynamic(parameter: AbiParameter): boolean {
  const array = arrayOf(parameter);
  if (array !== undefined) return array.length === undefined || isDynamic(array.item);
  if (parameter.type === "tuple") return (parameter.components ?? []).some(isDynamic);
  return parameter.type === "bytes" || parameter.type === "string";
}
