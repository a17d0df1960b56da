import type { EngineProcess } from "./engine-process.ts";

/** A database server of its own on a free port. What it has answered survives a kill. */
export abstract class EngineServer {
  readonly password: string;
  readonly #process: EngineProcess;

  protected constructor(password: string, process: EngineProcess) {
    this.password = password;
    this.#process = process;
  }

  get port(): number {
    return this.#process.port;
  }

  /** With its password. */
  get url(): string {
    return this.urlAt(this.port);
  }

  /** Its URL through a proxy on 127.0.0.1. */
  abstract urlAt(port: number): string;

  /** In order. Its data stay. */
  stop(): Promise<void> {
    return this.#process.stop();
  }

  /** Its data stay. */
  kill(): Promise<void> {
    return this.#process.kill();
  }

  /** With the same data, on the same port. */
  restart(): Promise<void> {
    return this.#process.restart();
  }

  /** Ends it and removes its data. */
  remove(): Promise<void> {
    return this.#process.remove();
  }
}
