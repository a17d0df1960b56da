import type {
  Lifecycle,
  OperationStatusPayload,
  QueryStatusPayload,
  WalletStatusPayload,
  WatcherStatusPayload,
} from "../../../src/protocol/index.ts";
import type { Attestation } from "../oracles/network.ts";
import type { Store } from "../store/store.ts";

type Payloads = {
  "operation.status": OperationStatusPayload;
  "query.status": QueryStatusPayload;
  "wallet.status": WalletStatusPayload;
  "watcher.status": WatcherStatusPayload;
};

/** Where the event of a status appears, and what it says. */
type StatusEvent<Type extends keyof Payloads> = { channelId: string; payload: Payloads[Type] };

/** What comes with a new status: its reason, what the oracles attest, and other columns that change with it. */
export type StatusDetails<Change> = {
  reason?: string | undefined;
  attestation?: Attestation | undefined;
  change?: Change | undefined;
};

/** One kind of resource. */
type StatusKind<Resource, Status extends string, Type extends keyof Payloads, Change> = {
  eventType: Type;
  /** The changes of status that are allowed. */
  lifecycle: Lifecycle<Status>;
  get(store: Store, id: string): Resource | undefined;
  setStatus(store: Store, id: string, to: Status, details: StatusDetails<Change>): void;
  /** The event of the status that the resource has now; undefined for a resource without a channel. */
  eventOf(resource: Resource, details: StatusDetails<Change>): StatusEvent<Type> | undefined;
};

/**
 * The only way in which the status of a resource is set. A status and its event are stored in one transaction, and only
 * where the lifecycle of the resource allows the change.
 */
export class StatusMachine<
  Resource extends { status: Status },
  Status extends string,
  Type extends keyof Payloads,
  Change = never,
> {
  readonly #kind: StatusKind<Resource, Status, Type, Change>;

  constructor(kind: StatusKind<Resource, Status, Type, Change>) {
    this.#kind = kind;
  }

  /** @throws Error when there is no such resource. */
  find(store: Store, id: string): Resource {
    const resource = this.#kind.get(store, id);
    if (resource === undefined) throw new Error(`There is no ${this.#name} ${id}.`);
    return resource;
  }

  /** Stores a new resource with the event of its first status. `insert` returns the id. */
  create(store: Store, insert: () => string): Resource {
    return store.transaction(() => this.#announce(store, insert(), {}));
  }

  /** Whether the lifecycle allows this status next. */
  canMove({ status }: Pick<Resource, "status">, to: Status): boolean {
    return this.#kind.lifecycle[status].includes(to);
  }

  /** Sets a status, and returns the resource; undefined, with nothing stored, when the lifecycle does not allow it. */
  move(store: Store, id: string, to: Status, details: StatusDetails<Change> = {}): Resource | undefined {
    return store.transaction(() => {
      if (!this.canMove(this.find(store, id), to)) return undefined;
      this.#kind.setStatus(store, id, to, details);
      return this.#announce(store, id, details);
    });
  }

  get #name(): string {
    return this.#kind.eventType.replace(".status", "");
  }

  #announce(store: Store, id: string, details: StatusDetails<Change>): Resource {
    const resource = this.find(store, id);
    const event = this.#kind.eventOf(resource, details);
    if (event !== undefined) {
      store.events.append({ ...event, type: this.#kind.eventType, proof: details.attestation?.proof });
    } else {
      // Only wallets can be without a channel.
      const { status } = resource;
      store.timeline.add({ kind: "wallet", facts: { wallet_id: id, status, reason: details.reason } });
    }
    return resource;
  }
}
