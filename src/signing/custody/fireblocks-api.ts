import { createHash, randomUUID, sign } from "node:crypto";
import { clockDifference } from "../../http/index.ts";
import { type CustodianAnswer, type CustodianCall, CustodianClient, refusalOf } from "./custodian-client.ts";
import type { CustodyOptions } from "./custody-signer.ts";
import { SignerError } from "./signer-error.ts";

export const FIREBLOCKS = "Fireblocks";

type FireblocksApiOptions = CustodyOptions & {
  url: string;
  apiKey: string;
  /** Of the API user, as PEM (PKCS#8). */
  key: string;
};

type FireblocksCall = {
  method: "GET" | "POST";
  /** With its query, from `/v1` on. */
  path: string;
  body?: string;
} & Pick<CustodianCall, "signal" | "withinMs" | "onState">;

/** The API refuses 30 seconds. */
const TOKEN_LIFE_S = 25;
/** A smaller difference of the clocks is not why a token is refused. */
const CLOCK_TOLERANCE_S = 10;

/** Calls the API. Each request has a token of its own: it is valid once, for this path and body, for seconds. */
export class FireblocksApi {
  readonly #client: CustodianClient;
  readonly #options: FireblocksApiOptions;

  /** @throws {ArgumentError} */
  constructor(options: FireblocksApiOptions) {
    const { url, apiKey, key, tls, proxy } = options;
    const secrets = [apiKey, key];
    // The addresses in the documents of Fireblocks end with the version.
    const baseUrl = url.replace(/\/v1\/*$/, "");
    this.#options = options;
    this.#client = new CustodianClient({ custodian: FIREBLOCKS, baseUrl, secrets, tls, proxy });
  }

  /**
   * Any answer but one about credentials. A request to sign is not repeated where it may exist: it has an external id, by
   * which it is found.
   * @throws {SignerError} `SIGNER_UNAUTHORIZED`, `SIGNER_UNAVAILABLE`
   */
  async call({ path, body, method, ...call }: FireblocksCall): Promise<CustodianAnswer> {
    const { apiKey } = this.#options;
    const headers = () => ({
      "x-api-key": apiKey,
      authorization: `Bearer ${this.#token(this.#client.pathOf(path), body ?? "")}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    });
    const answer = await this.#client.call({
      ...call,
      method,
      path,
      headers,
      body,
      repeats: method === "GET",
    });
    if (answer.status === 401) throw clockError(answer) ?? refusalOf(FIREBLOCKS, answer);
    return answer;
  }

  pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return this.#client.pause(ms, signal);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** A JSON Web Token, RS256. */
  #token(uri: string, body: string): string {
    const { apiKey, key } = this.#options;
    const iat = Math.floor(Date.now() / 1000);
    const claims = {
      uri,
      nonce: randomUUID(),
      iat,
      exp: iat + TOKEN_LIFE_S,
      sub: apiKey,
      bodyHash: createHash("sha256").update(body).digest("hex"),
    };
    const signed = `${encoded({ alg: "RS256", typ: "JWT" })}.${encoded(claims)}`;
    return `${signed}.${sign("RSA-SHA256", Buffer.from(signed), key).toString("base64url")}`;
  }
}

function encoded(json: unknown): string {
  return Buffer.from(JSON.stringify(json)).toString("base64url");
}

function clockError({ date }: CustodianAnswer): SignerError | undefined {
  const differs = clockDifference(date, CLOCK_TOLERANCE_S);
  if (differs === undefined) return undefined;
  return new SignerError(
    "SIGNER_UNAUTHORIZED",
    `The clock of this machine is ${differs.seconds} seconds ${differs.how} that of ${FIREBLOCKS}, which accepts only requests of the last seconds. Set the clock, and keep it right with NTP.`,
    { state: "401" },
  );
}
