import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import vm from "node:vm";

type Bytes = Buffer | NodeJS.TypedArray | DataView | ArrayBuffer;

/**
 * Makes all that is random in this process follow from `seed`: in its own realm, and in those that function nodes get.
 * Ids are the same each time. Keys made here are known to everyone.
 */
export function seedRandomness(seed: number): void {
  const random = generator(seed, 0);
  Math.random = random;
  seedCrypto(generator(seed, 1));
  seedRealms(seed);
}

/** As `Math.random`. The same `seed` and `stream` give the same numbers. */
function generator(seed: number, stream: number): () => number {
  let state = (Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) | 0;
  return () => {
    // Source: mulberry32, which is in the public domain.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function seedCrypto(random: () => number): void {
  const fill = <T extends Bytes>(target: T, offset = 0, size?: number): T => {
    const all = ArrayBuffer.isView(target)
      ? new Uint8Array(target.buffer, target.byteOffset, target.byteLength)
      : new Uint8Array(target);
    const bytes = all.subarray(offset, size === undefined ? undefined : offset + size);
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = Math.floor(random() * 256);
    return target;
  };
  const later = (call: () => void) => setImmediate(call);
  const randomBytes = (size: number, done?: (error: null, bytes: Buffer) => void) => {
    const bytes = fill(Buffer.alloc(size));
    if (done === undefined) return bytes;
    later(() => done(null, bytes));
    return undefined;
  };
  const randomInt = (...args: unknown[]) => {
    const done =
      typeof args.at(-1) === "function" ? (args.pop() as (error: null, n: number) => void) : undefined;
    const [low, high] = (args.length === 1 ? [0, args[0]] : args) as [number, number];
    const chosen = low + Math.floor(random() * (high - low));
    if (done === undefined) return chosen;
    later(() => done(null, chosen));
    return undefined;
  };
  const randomFill = (target: Bytes, ...rest: unknown[]) => {
    const done = rest.pop() as (error: null, target: Bytes) => void;
    fill(target, ...(rest as [number?, number?]));
    later(() => done(null, target));
  };
  const randomUUID = () => uuidOf(fill(Buffer.alloc(16)));
  const getRandomValues = <T extends Bytes>(target: T): T => fill(target);
  replace(crypto, {
    randomBytes,
    pseudoRandomBytes: randomBytes,
    randomInt,
    randomFill,
    randomFillSync: fill,
    randomUUID,
  });
  // crypto.getRandomValues reads it there.
  replace(Object.getPrototypeOf(crypto.webcrypto) as object, { randomUUID, getRandomValues });
  syncBuiltinESMExports();
}

/** Some of them are accessors. */
function replace(owner: object, functions: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(functions)) {
    Object.defineProperty(owner, name, { value, configurable: true, writable: true, enumerable: true });
  }
}

/** Of version 4. */
function uuidOf(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** A realm has a Math, a Date and an Intl of its own. They are created in the order of the nodes. */
function seedRealms(seed: number): void {
  const create = vm.createContext.bind(vm);
  let realms = 1;
  vm.createContext = ((sandbox?: vm.Context, ...rest: []) => {
    const context = create(sandbox, ...rest);
    realms += 1;
    const own = vm.runInContext("({ global: globalThis, Math })", context) as {
      global: Record<string, unknown>;
      Math: Math;
    };
    own.Math.random = generator(seed, realms);
    if (!Object.hasOwn(context, "Date")) own.global.Date = Date;
    own.global.Intl = Intl;
    return context;
  }) as typeof vm.createContext;
}
