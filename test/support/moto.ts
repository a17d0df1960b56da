import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOW_TO_GET_MOTO, motoPath } from "../../scripts/lib/engines.mjs";
import { HOST } from "../../scripts/lib/ports.mjs";
import type { AwsCredentials } from "../../src/signing/custody/index.ts";
import { EngineProcess } from "./engine-process.ts";
import { isInstalled } from "./installed.ts";

const REGION = "us-east-1";

/** Whether there is moto: see `isInstalled`. */
export function hasMoto(): boolean {
  return isInstalled("moto", motoPath(), HOW_TO_GET_MOTO);
}

/** An emulator of AWS that knows nothing of this project. In KMS, it hashes once more what it signs. */
export class Moto {
  readonly region = REGION;
  readonly #process: EngineProcess;

  private constructor(process: EngineProcess) {
    this.#process = process;
  }

  static async start(): Promise<Moto> {
    const process = await EngineProcess.start({
      folder: await mkdtemp(join(tmpdir(), "crec-moto-")),
      command: motoPath() ?? "",
      args: (port) => ["--host", HOST, "--port", String(port)],
      ready: /Running on http/,
      notYet: /Address already in use/,
      stopSignal: "SIGTERM",
    });
    return new Moto(process);
  }

  get endpoint(): string {
    return `http://${HOST}:${this.#process.port}`;
  }

  /** Its id. */
  async createKey(keySpec: string, keyUsage = "SIGN_VERIFY"): Promise<string> {
    const asked = { KeySpec: keySpec, KeyUsage: keyUsage };
    const { KeyMetadata } = (await this.kms("CreateKey", asked)) as { KeyMetadata: { KeyId: string } };
    return KeyMetadata.KeyId;
  }

  async kms(action: string, body: object): Promise<unknown> {
    const headers = {
      "x-amz-target": `TrentService.${action}`,
      "content-type": "application/x-amz-json-1.1",
    };
    return JSON.parse(await this.#post("kms", headers, JSON.stringify(body)));
  }

  /** A user of IAM that may take these actions, with an access key. */
  async createUser(name: string, actions: readonly string[]): Promise<AwsCredentials> {
    const Statement = [{ Effect: "Allow", Action: actions, Resource: "*" }];
    const PolicyDocument = JSON.stringify({ Version: "2012-10-17", Statement });
    await this.#iam({ Action: "CreateUser", UserName: name });
    await this.#iam({ Action: "PutUserPolicy", UserName: name, PolicyName: "kms", PolicyDocument });
    const answer = await this.#iam({ Action: "CreateAccessKey", UserName: name });
    const read = (tag: string) => new RegExp(`<${tag}>([^<]+)`).exec(answer)?.[1] ?? "";
    return { accessKeyId: read("AccessKeyId"), secretAccessKey: read("SecretAccessKey") };
  }

  /** From now on it checks the signature of each request, and what its user may do. */
  async checkRequests(): Promise<void> {
    await this.#post("moto", {}, "0", "/moto-api/reset-auth");
  }

  remove(): Promise<void> {
    return this.#process.remove();
  }

  #iam(parameters: Record<string, string>): Promise<string> {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams({ ...parameters, Version: "2010-05-08" }).toString();
    return this.#post("iam", headers, body);
  }

  /** It finds the service by the credential's scope. */
  async #post(service: string, headers: Record<string, string>, body: string, path = "/"): Promise<string> {
    const authorization = `AWS4-HMAC-SHA256 Credential=setup/20260101/${REGION}/${service}/aws4_request, SignedHeaders=host, Signature=0`;
    const init = { method: "POST", headers: { authorization, ...headers }, body };
    const answer = await fetch(`${this.endpoint}${path}`, init);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`moto: HTTP ${answer.status} ${text}`);
    return text;
  }
}
