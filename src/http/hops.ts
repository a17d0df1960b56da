/**
 * A part of the way to a service: the connection to the proxy, the tunnel that the proxy opens, and the service itself.
 * Nothing of a request is sent before its connection has come as far as the service.
 */
export type Hop = "proxy" | "tunnel" | "service";

/** A connection that did not come about, and where. It has no code of its own: undici repeats after some codes. */
export class HopError extends Error {
  override readonly name = "HopError";
  readonly hop: Hop;

  /** @param cause as it was thrown */
  constructor(hop: Hop, cause: Error) {
    super(cause.message, { cause });
    this.hop = hop;
  }
}

/** Says where something happened, unless that is known already. */
export function hopError(hop: Hop, thrown: unknown): HopError {
  if (thrown instanceof HopError) return thrown;
  return new HopError(hop, thrown instanceof Error ? thrown : new Error(String(thrown)));
}

/** How far the connections of a pool have come that go through a proxy. */
export class HopCount {
  readonly #begun: Record<Hop, number> = { proxy: 0, tunnel: 0, service: 0 };
  #open = 0;

  /** Something at a hop begins; call the result when it has ended. */
  begin(hop: Hop): () => void {
    this.#begun[hop] += 1;
    return () => {
      this.#begun[hop] -= 1;
    };
  }

  /** A connection is open, and can carry requests until it closes. */
  opened(socket: { once(event: "close", listener: () => void): unknown }): void {
    this.#open += 1;
    socket.once("close", () => {
      this.#open -= 1;
    });
  }

  /**
   * Where all requests of the pool are held up; undefined while a connection is open, or none is being made. Of several
   * connections, the one that has come farthest counts.
   */
  heldUpAt(): Hop | undefined {
    const { proxy, tunnel, service } = this.#begun;
    if (this.#open > 0 || service + tunnel + proxy === 0) return undefined;
    // A tunnel begins with its connection to the proxy, and the way to a service with its tunnel.
    if (service > tunnel) return "service";
    return tunnel > proxy ? "tunnel" : "proxy";
  }
}
