import { createHash } from "node:crypto";
import type { Copy, LeaseHolder, OnceResult, Presence } from "../ownership/index.ts";

/** An index of PostgreSQL takes keys up to about 2,700 bytes. */
const LONGEST = 200;
/** PostgreSQL stores no NUL; halves of characters would become equal to others. */
const PLAIN = /^[^\p{Cc}\p{Cs}]*$/u;

/** What a statement is given for a mark: everything short enough for a key, and no optional parts. */
export type StoredMark = {
  scope: string;
  key: string;
  ttlMs: number;
  /** Empty where the mark came with no delivery. */
  delivery: string;
  redelivered: boolean;
  /** Empty where the mark came with none. */
  digest: string;
  fence: { key: string; epoch: number } | undefined;
};

/** What a statement is given for a record. */
export type StoredRecord = {
  scope: string;
  key: string;
  /** The key as JSON, where it is too long or too odd for a key of the engine; else empty. */
  name: string;
  /** 0 for a record that is not there yet. */
  revision: number;
  text: string | undefined;
  ttlMs: number;
};

/** What a statement tells about members. */
export type StoredMembers = {
  /** The others of the group that are alive. */
  others: Copy[];
  /** Keys of the leases that were renewed. */
  renewed: string[];
  holders: Array<[key: string, holder: LeaseHolder]>;
};

/**
 * The client of a server, with its connections. One method for each statement; each is atomic. The state is text
 * here. Rejects with the errors of the client.
 */
export type DriverClient = {
  /** Resolves when statements can be sent: connected, allowed, with a schema of a known version. */
  readonly ready: Promise<void>;
  /** False once its connection is of no use any more. */
  readonly isOpen: boolean;
  take(
    key: string,
    copy: Copy,
    leaseMs: number,
  ): Promise<{ epoch: number; replaced: number | undefined; state: string | undefined } | undefined>;
  /** `revision`: higher for each save than for those before; a save that arrives after a later one changes no state. */
  save(
    key: string,
    epoch: number,
    state: string,
    times: { leaseMs: number; revision: number },
  ): Promise<boolean>;
  release(key: string, epoch: number, state: string | undefined): Promise<boolean>;
  once(mark: StoredMark): Promise<OnceResult>;
  readRecord(scope: string, key: string): Promise<{ revision: number; text: string } | undefined>;
  /** The new revision, 0 for a record that was removed; undefined when the revision is not the present one. */
  writeRecord(record: StoredRecord): Promise<number | undefined>;
  recordKeys(scope: string, limit: number): Promise<Array<Pick<StoredRecord, "key" | "name">>>;
  members(presence: Presence): Promise<StoredMembers>;
  leave(copy: Copy): Promise<void>;
  /** After the answers to what was sent. */
  close(): Promise<void>;
  /** Immediately. What was sent and not answered rejects. */
  destroy(): void;
};

/**
 * Why a statement failed. `refused`: nothing changes until somebody changes a setting. `lost`: the connection is of no
 * use any more. `busy`: the same connection may do it later. `newer`: the schema is newer than this code.
 */
export type DriverProblem = {
  kind: "refused" | "lost" | "busy" | "newer";
  /** For people, without a full stop. No credentials. */
  reason: string;
};

/** How a kind of server is called, and where it is. */
export type Driver = {
  /** Such as `PostgreSQL at db:5432`. */
  label: string;
  /** Set once a client has asked, and the server did not say whether it evicts what must stay. */
  readonly isEvictionUnknown?: boolean;
  /** Starts to connect. Never throws: `ready` rejects. */
  open(): DriverClient;
  problemOf(error: unknown): DriverProblem;
};

/** A text as a key of the engine: itself where that is possible, so that people can read it, otherwise its hash. */
export function shortName(text: string): string {
  const isPlain = text.length <= LONGEST && PLAIN.test(text) && !text.startsWith("sha256:");
  if (isPlain) return text;
  return `sha256:${createHash("sha256").update(text, "utf16le").digest("hex")}`;
}

/** What people call something, as text that each engine can store. */
export function storableLabel(text: string): string {
  return text.slice(0, LONGEST).toWellFormed().replaceAll("\0", "");
}
