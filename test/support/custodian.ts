import type { Hex } from "../../src/protocol/index.ts";
import { localEcdsaSigner } from "../../src/signing/index.ts";
import { StandIn } from "./stand-in.ts";

type Request = { digest: Hex; state: string; signature?: Hex };

/** A key service in which a person decides about each signature. To ask again for the same digest changes nothing. */
export class Custodian {
  /** Whose signature was asked for, the oldest first: each digest once. */
  readonly requests: Request[] = [];
  /** How often a signature was asked for. */
  count = 0;
  readonly #standIn: StandIn;
  readonly #key: string;

  private constructor(standIn: StandIn, key: string) {
    this.#standIn = standIn;
    this.#key = key;
    standIn.answer = ({ method, path }) => {
      const digest = path.split("/").at(-1) as Hex;
      let request = this.requests.find((one) => one.digest === digest);
      if (method === "POST") this.count += 1;
      if (!request) {
        request = { digest, state: "PENDING_AUTHORIZATION" };
        this.requests.push(request);
      }
      return { status: 200, body: request };
    };
  }

  static async start(key: string): Promise<Custodian> {
    return new Custodian(await StandIn.start(), key);
  }

  get url(): string {
    return this.#standIn.url;
  }

  /** Waits until so many different digests were asked for, and gives the newest. */
  async asked(number: number): Promise<Request> {
    return this.#standIn.until(() => this.requests[number - 1]);
  }

  /** Waits until it was asked for signatures so often. */
  async askedAgain(count: number): Promise<void> {
    await this.#standIn.until(() => (this.count >= count ? true : undefined));
  }

  async approve(request: Request): Promise<void> {
    request.signature = await localEcdsaSigner(this.#key).sign({ digest: request.digest });
    request.state = "COMPLETED";
  }

  refuse(request: Request): void {
    request.state = "REJECTED";
  }

  close(): Promise<void> {
    return this.#standIn.close();
  }
}
