import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NodeAPI } from "node-red";
import { writeDurablySync } from "../../../src/storage/durable-files.ts";
import { fileAdvice } from "../../../src/storage/file-advice.ts";
import { isNewerRefused, refuseNewer } from "../../../src/storage/newer.ts";
import { isObject } from "../shared/collections.ts";
import { nodeError } from "../shared/errors.ts";
import { isReference } from "../shared/variables.ts";
import type { Setting } from "./destination.ts";

/** Where a stored key may be sent. */
type Binding = {
  addresses: readonly string[];
  /** Of the fingerprint. Hex. */
  salt: string;
  /** Differs for another key, and for the same key entered again. Hex. */
  fingerprint: string;
};
/** By the id of the connection. */
type Bindings = Map<string, Binding>;

type BoundKey = {
  /** Of the connection. */
  id: string;
  /** The key as it is stored, with its mark. */
  stored: string;
  /** Where it would be sent now. */
  addresses: readonly string[];
  /** What sentences call it. */
  words?: { key: string; enter: string };
  /** See `subflowProperty`. */
  inSubflow?: string | undefined;
};

const OF_CONNECTION = {
  key: "The API key of this connection",
  enter: "enter the key again in the connection",
};

const FINGERPRINT_BYTES = 32;

/**
 * Binds a new key to the addresses of its deploy, in a file. A key in the file may only be sent to its addresses.
 * Without a user directory of Node-RED `path` is undefined, and bindings last as long as the process.
 * @throws KEY_NEEDS_CONFIRMATION where the addresses differ, or the file cannot be read; KEY_BINDING_NOT_SAVED
 */
export function bindKey(
  path: string | undefined,
  { id, stored, addresses, words = OF_CONNECTION, inSubflow }: BoundKey,
): void {
  const bindings = path === undefined ? unsaved : read(path);
  const known = bindings.get(id);
  if (known && isOf(known, stored)) {
    // A part of its addresses is allowed.
    if (addresses.every((address) => known.addresses.includes(address))) return;
    throw nodeError(
      "KEY_NEEDS_CONFIRMATION",
      `${words.key} was entered for ${list(known.addresses)}, and would now be sent to ${list(addresses)}. Nothing was sent. ${inSubflow === undefined ? `If this is right, ${words.enter}.` : forInstances(inSubflow)}`,
    );
  }
  const salt = randomBytes(16).toString("hex");
  bindings.set(id, { addresses, salt, fingerprint: fingerprint(stored, salt).toString("hex") });
  if (path !== undefined) write(path, bindings);
}

function forInstances(type: string): string {
  return `Each instance of the subflow gives it an address of its own, but it has one key, for one address. Put one node for each address outside of the subflow, and choose it by a property of the subflow of the type ${type}; or set key and address in the environment of this machine.`;
}

/** Where the key of a connection may be sent, for the form; undefined where that is not stored. */
export function boundTo(path: string | undefined, id: string): readonly string[] | undefined {
  const bindings = path === undefined ? unsaved : read(path);
  return bindings.get(id)?.addresses;
}

const unsaved: Bindings = new Map();

function isOf({ salt, fingerprint: known }: Binding, stored: string): boolean {
  const expected = Buffer.from(known, "hex");
  return expected.length === FINGERPRINT_BYTES && timingSafeEqual(expected, fingerprint(stored, salt));
}

const fingerprints = new Map<string, Buffer>();

/** Slow on purpose: the file is next to the encrypted credentials, and must not help to guess a key. */
function fingerprint(stored: string, salt: string): Buffer {
  const name = `${salt} ${stored}`;
  const bytes = fingerprints.get(name) ?? scryptSync(stored, salt, FINGERPRINT_BYTES);
  fingerprints.set(name, bytes);
  return bytes;
}

function list(addresses: readonly string[]): string {
  return addresses.filter((address) => address !== "proxy: environment").join(" and ");
}

function read(path: string): Bindings {
  try {
    const bindings: unknown = JSON.parse(readFileSync(path, "utf8"));
    const lost =
      "it is not known where API keys may be sent, so check the addresses of all connections before";
    refuseNewer(bindings, { what: `The file ${path}`, lost }, nodeError);
    if (isBindings(bindings)) return new Map(Object.entries(bindings));
    throw new Error("It contains something else.");
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return new Map();
    if (isNewerRefused(cause))
      throw nodeError("KEY_NEEDS_CONFIRMATION", `Nothing was sent. ${message}`, cause);
    throw nodeError(
      "KEY_NEEDS_CONFIRMATION",
      `${path} cannot be read, so it is not known where API keys may be sent. Nothing was sent. Restore the file; or check the addresses of all connections, delete the file, and deploy.`,
      cause,
    );
  }
}

function isBindings(value: unknown): value is Record<string, Binding> {
  return (
    isObject(value) &&
    Object.values(value).every(
      (one) =>
        isObject(one) &&
        Array.isArray(one.addresses) &&
        one.addresses.every((address) => typeof address === "string") &&
        typeof one.salt === "string" &&
        typeof one.fingerprint === "string",
    )
  );
}

/** After a crash the file contains the old bindings or the new ones, never a part. */
function write(path: string, bindings: Bindings): void {
  try {
    writeDurablySync(path, `${JSON.stringify(Object.fromEntries(bindings), null, 2)}\n`);
  } catch (cause) {
    throw nodeError(
      "KEY_BINDING_NOT_SAVED",
      `The addresses of the API key could not be saved. Nothing was sent. ${fileAdvice(cause)}, then deploy again; or take the key from the environment. File: ${path}`,
      cause,
    );
  }
}

/** In the user directory, next to the credentials. */
export function bindingsPath(RED: NodeAPI): string | undefined {
  const { userDir } = RED.settings;
  return userDir === undefined ? undefined : join(userDir, "crec-keys.json");
}

/** A node in a subflow instance has its own id, and the credentials of the original node. */
export function originalId(node: { id: string; _alias?: string }): string {
  return node._alias ?? node.id;
}

/**
 * The type of subflow property that chooses such a node from outside, if a subflow may give this node other addresses in
 * each instance: all instances have one secret, which is bound to the addresses of the first.
 */
export function subflowProperty(
  node: { id: string; _alias?: string },
  type: string,
  addresses: ReadonlyArray<Setting | undefined>,
): string | undefined {
  const isInstance = originalId(node) !== node.id;
  return isInstance && addresses.some((one) => isReference(one?.written ?? "")) ? type : undefined;
}

/**
 * Under what the key of a connection is bound. Bindings of other nodes are named `<id> <field>`: a connection with such an
 * id, which a flow that was written by hand may have, must not replace one of those.
 */
export function connectionBinding(id: string): string {
  return id.replaceAll(/[% ]/g, encodeURIComponent);
}
