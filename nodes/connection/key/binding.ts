import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { nodeError } from "../../lib/shared/errors.ts";

/** What a stored key may be sent to. */
type Binding = {
  addresses: readonly string[];
  /** Tells a key from another one, and a key typed again from one left as it was. Hex. */
  salt: string;
  fingerprint: string;
};
/** By connection. */
type Bindings = Map<string, Binding>;

export type BoundKey = {
  /** The connection's. */
  id: string;
  /** The key as it is stored, with its mark. */
  stored: string;
  /** Where it would go now. */
  addresses: readonly string[];
};

const FINGERPRINT_BYTES = 32;

/**
 * Binds a key to the addresses of the deploy that brought it, in a file; a key that is there already goes only to
 * those. `path` is undefined where Node-RED has no user directory: then it lasts as long as the process.
 * @throws KEY_NEEDS_CONFIRMATION where the addresses differ, or the file cannot be read; KEY_BINDING_NOT_SAVED
 */
export function bindKey(path: string | undefined, { id, stored, addresses }: BoundKey): void {
  const bindings = path === undefined ? unsaved : read(path);
  const known = bindings.get(id);
  if (known && isOf(known, stored)) {
    // Fewer are no other ones.
    if (addresses.every((address) => known.addresses.includes(address))) return;
    throw nodeError(
      "KEY_NEEDS_CONFIRMATION",
      `The API key of this connection was typed for ${list(known.addresses)}, and would now go to ${list(addresses)}. Nothing was sent. Type the key again in the connection if it may go there.`,
    );
  }
  const salt = randomBytes(16).toString("hex");
  bindings.set(id, { addresses, salt, fingerprint: fingerprint(stored, salt).toString("hex") });
  if (path !== undefined) write(path, bindings);
}

/** Where the key of a connection may go, as far as that was noted; for the form. */
export function boundTo(path: string | undefined, id: string): readonly string[] | undefined {
  const bindings = path === undefined ? unsaved : read(path);
  return bindings.get(id)?.addresses;
}

const unsaved: Bindings = new Map();

function isOf({ salt, fingerprint: known }: Binding, stored: string): boolean {
  const expected = Buffer.from(known, "hex");
  return expected.length === FINGERPRINT_BYTES && timingSafeEqual(expected, fingerprint(stored, salt));
}

const made = new Map<string, Buffer>();

/** Slow on purpose: the file lies beside the encrypted credentials, and must not help to guess a key. */
function fingerprint(stored: string, salt: string): Buffer {
  const name = `${salt} ${stored}`;
  const bytes = made.get(name) ?? scryptSync(stored, salt, FINGERPRINT_BYTES);
  made.set(name, bytes);
  return bytes;
}

function list(addresses: readonly string[]): string {
  return addresses.filter((address) => address !== "proxy: environment").join(" and ");
}

function read(path: string): Bindings {
  try {
    const bindings: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isBindings(bindings)) return new Map(Object.entries(bindings));
    throw new Error("It holds something else.");
  } catch (cause) {
    if ((cause as { code?: unknown }).code === "ENOENT") return new Map();
    throw nodeError(
      "KEY_NEEDS_CONFIRMATION",
      `${path} cannot be read, so it is not known where API keys may go. Nothing was sent. Restore the file, or check the addresses of all connections, delete it, and deploy.`,
      cause,
    );
  }
}

function isBindings(value: unknown): value is Record<string, Binding> {
  const isObject = (one: unknown): one is Record<string, unknown> =>
    typeof one === "object" && one !== null && !Array.isArray(one);
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

/** After a crash at any moment the file holds what was there before, or what is there now. */
function write(path: string, bindings: Bindings): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, `${JSON.stringify(Object.fromEntries(bindings), null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    renameSync(temporary, path);
  } catch (cause) {
    throw nodeError(
      "KEY_BINDING_NOT_SAVED",
      `Where the API key may go could not be noted in ${path}. Nothing was sent. Check permissions and free space, then deploy again; or take the key from the environment.`,
      cause,
    );
  }
}
