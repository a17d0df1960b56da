import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import zlib from "node:zlib";

type Work = (this: unknown, ...args: unknown[]) => unknown;
type Owner = Record<string, unknown>;
/** Called when work begins. Gives the function that says that it has ended. */
type Begin = () => () => void;

/** Done by threads, with a callback as the last argument. Files are known to `process.getActiveResourcesInfo`. */
const OF_CRYPTO = [
  "pbkdf2",
  "scrypt",
  "hkdf",
  "sign",
  "verify",
  "generateKey",
  "generateKeyPair",
  "generatePrime",
  "checkPrime",
  "diffieHellman",
  "encapsulate",
  "decapsulate",
  "argon2",
];
const OF_ZLIB =
  /^(?:gzip|gunzip|deflate(?:Raw)?|inflate(?:Raw)?|unzip|(?:brotli|zstd)(?:Compress|Decompress))$/;
const OF_WEB_ASSEMBLY = ["compile", "instantiate"];

/**
 * Counts the work of other threads, which no list of Node.js has: hashes and keys, compression, and the compilation of
 * WebAssembly. In a busy machine it may take longer than any number of turns of the event loop.
 */
export function countRealWork(begin: Begin): void {
  const crypt = crypto as unknown as Owner;
  for (const name of OF_CRYPTO) replace(crypt, name, withCallback, begin);
  const compression = zlib as unknown as Owner;
  for (const name of Object.keys(zlib))
    if (OF_ZLIB.test(name)) replace(compression, name, withCallback, begin);
  const subtle = Object.getPrototypeOf(crypto.webcrypto.subtle) as Owner;
  for (const name of Object.getOwnPropertyNames(subtle))
    if (name !== "constructor") replace(subtle, name, withPromise, begin);
  const assembly = (globalThis as { WebAssembly?: Owner }).WebAssembly ?? {};
  for (const name of OF_WEB_ASSEMBLY) replace(assembly, name, withPromise, begin);
  syncBuiltinESMExports();
}

function replace(
  owner: Owner,
  name: string,
  counted: (work: Work, begin: Begin) => Work,
  begin: Begin,
): void {
  const described = Object.getOwnPropertyDescriptor(owner, name);
  if (typeof described?.value !== "function") return;
  const value = counted(described.value as Work, begin);
  // With it, `util.promisify` knows the names of the results.
  Object.defineProperties(value, Object.getOwnPropertyDescriptors(described.value as object));
  Object.defineProperty(owner, name, { ...described, value });
}

function withCallback(work: Work, begin: Begin): Work {
  return function (...args) {
    const callback = args.at(-1);
    if (typeof callback !== "function") return work.apply(this, args);
    const end = begin();
    const ended = (...results: unknown[]): unknown => {
      end();
      return (callback as Work)(...results);
    };
    try {
      return work.apply(this, [...args.slice(0, -1), ended]);
    } catch (error) {
      end();
      throw error;
    }
  };
}

function withPromise(work: Work, begin: Begin): Work {
  return function (...args) {
    const end = begin();
    const result = work.apply(this, args);
    Promise.resolve(result).then(end, end);
    return result;
  };
}
