import { createHash } from "node:crypto";
import { checksumAddress, toHex } from "viem";
import type { Address, Hex } from "../../../src/protocol/index.ts";

const BITS_48 = 2 ** 48;

/** Chance that is the same for a seed, on each machine. */
export class Randomness {
  readonly #seed: string;
  #drawn = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** From 0, below 1. */
  next(): number {
    return this.#bytes().readUIntBE(0, 6) / BITS_48;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** A whole number, both limits included. */
  whole(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  /** Between the limits, small ones more often than large ones. */
  mostlySmall(low: number, high: number): number {
    return low * (high / low) ** this.next();
  }

  /** @throws Error for an empty list. */
  pick<T>(list: readonly T[]): T {
    const [picked] = list.slice(this.whole(0, list.length - 1));
    if (picked === undefined)
      throw new Error("There is nothing to pick from. Give a list that has an element.");
    return picked;
  }

  hash(): Hex {
    return toHex(this.#bytes());
  }

  address(): Address {
    return checksumAddress(toHex(this.#bytes().subarray(0, 20)));
  }

  addresses(count: number): Address[] {
    return Array.from({ length: count }, () => this.address());
  }

  /** A UUID of version 4. */
  uuid(): string {
    const digits = this.#bytes().toString("hex");
    return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");
  }

  #bytes(): Buffer {
    this.#drawn += 1;
    return createHash("sha256").update(`${this.#seed} ${this.#drawn}`).digest();
  }
}
