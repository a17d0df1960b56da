import { CrecError } from "../../../errors.ts";
import type { Journal } from "../../journal/journal.ts";
import { removeSegments } from "../../journal/stored-journal.ts";
import type { AlertStore } from "../../types.ts";

/** After this many lost races against other copies, a change fails. */
const MOST_ATTEMPTS = 100;

const KEEP_MS = 60 * 60_000;

/** A record of a store as it was read or written last. One change after another. */
export class CachedRecord<Value extends object> {
  readonly key: string;
  /** When there is something to do for it, as the queue has it. */
  queuedAt: number | undefined;
  readonly #store: AlertStore;
  readonly #form: RecordForm<Value>;
  #value: Value | undefined;
  #revision = 0;
  #isRead = false;
  #keptAt = Number.NEGATIVE_INFINITY;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: AlertStore, key: string, form: RecordForm<Value>) {
    this.key = key;
    this.#store = store;
    this.#form = form;
  }

  get value(): Value | undefined {
    return this.#value;
  }

  /** Whether a change is under way. */
  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /** Reads it again. */
  async read(): Promise<void> {
    await this.#inTurn(() => this.#read());
  }

  /** Writes the value again, so that a shared store that forgets old records keeps it; at most once an hour. */
  async keep(now: number): Promise<void> {
    if (this.#value === undefined || now - this.#keptAt < KEEP_MS) return;
    this.#keptAt = now;
    await this.change((value) => ({ state: value && this.#form.renewed({ ...value }) }));
  }

  /** Stores the value in another form, which is read as the same value; not where another copy has written since. */
  async rewrite(stored: unknown): Promise<void> {
    await this.#inTurn(async () => {
      if (await this.#store.write(this.key, this.#revision, stored)) this.#revision += 1;
    });
  }

  /** Resolves when what is under way has ended. */
  async settled(): Promise<void> {
    await this.#last;
  }

  /**
   * Replaces the value by the `state` that is decided on, or removes it where that is undefined. Nothing is written
   * where it is the value itself. Where another copy has written since, or the record was never read and is not to be
   * written, it is decided again.
   * @throws {CrecError} `ALERTS_BUSY`, and what the store throws
   */
  change<Decided extends { state: Value | undefined }>(
    decide: (value: Value | undefined) => Decided,
  ): Promise<Decided> {
    return this.#inTurn(async () => {
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
        const decided = decide(this.#value);
        const { state } = decided;
        if (state === this.#value) {
          if (this.#isRead) return decided;
        } else if (await this.#written(state)) return decided;
        await this.#read();
      }
      throw new CrecError(
        "ALERTS_BUSY",
        "What an alert rule remembers could not be written: other copies wrote to the same key all the time. Pass the event to the rule again.",
        { retryable: true },
      );
    });
  }

  /** False where another copy has written since. */
  async #written(state: Value | undefined): Promise<boolean> {
    const before = this.#value;
    // First: a record refers to what is there.
    const sealed = state && (await this.#form.sealed(state));
    const stored = sealed && this.#form.stored(sealed);
    const isWritten = await this.#store.write(this.key, this.#revision, stored);
    if (isWritten) {
      this.#revision = state === undefined ? 0 : this.#revision + 1;
      this.#value = sealed;
      this.#isRead = true;
    }
    const [used, unused] = isWritten ? [sealed, before] : [before, sealed];
    await removeUnused(this.#form, this.#store, { before: unused, now: used });
    return isWritten;
  }

  async #read(): Promise<void> {
    let record = await this.#store.read(this.key);
    // What is known need not be read again, unless there was no record, whose revision a new one may have.
    while (record !== undefined && (record.revision !== this.#revision || this.#value === undefined)) {
      this.#value = await this.#form.read(this.key, record.value, this.#value);
      this.#revision = record.revision;
      this.#isRead = true;
      if (!this.#store.isShared || namesOf(this.#form, this.#value).size === 0) return;
      // Another copy may have replaced segments before they were read.
      record = await this.#store.read(this.key);
      if (record?.revision === this.#revision) return;
    }
    if (record === undefined) this.#value = undefined;
    this.#revision = record?.revision ?? 0;
    this.#isRead = true;
  }

  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#waiting += 1;
    const result = this.#last.then(run).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = result.catch(() => {});
    return result;
  }
}

/** How a value is stored: in its record what changed last, and the rest of its journals in records of their own. */
export type RecordForm<Value> = {
  /** What the record of a key has; undefined for what cannot be read. `known`: what it had before. */
  read: (key: string, value: unknown, known: Value | undefined) => Promise<Value | undefined>;
  /** The same value, with few changes that are in no segment: see `sealed` of journals. */
  sealed: (value: Value) => Promise<Value>;
  /** What is written to the record. */
  stored: (value: Value) => unknown;
  /** The same value, with what has to be kept for long to be written again. */
  renewed: (value: Value) => Value;
  journals: (value: Value) => Array<Journal<unknown> | undefined>;
};

/** Removes what one value refers to, and another one does not. */
async function removeUnused<Value>(
  form: RecordForm<Value>,
  store: AlertStore,
  { before, now }: { before: Value | undefined; now: Value | undefined },
): Promise<void> {
  const journals = now && form.journals(now);
  const isSame = (journal: Journal<unknown> | undefined, index: number) =>
    journal?.segments === journals?.[index]?.segments;
  if (before !== undefined && form.journals(before).every(isSame)) return;
  const old = namesOf(form, before);
  const used = namesOf(form, now);
  await removeSegments(
    [...old].filter((name) => !used.has(name)),
    store,
  );
}

/** The segments that a value refers to. */
export function namesOf<Value>(form: RecordForm<Value>, value: Value | undefined): Set<string> {
  const journals = value === undefined ? [] : form.journals(value);
  return new Set(journals.flatMap((journal) => journal?.segments.map(([name]) => name) ?? []));
}
