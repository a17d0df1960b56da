import { readFile } from "node:fs/promises";
import { join } from "node:path";
import should from "should";
import type { SignerKey, SignerTestReport } from "../../nodes/common/shared/form-types.ts";
import { markTyped, STORED_PASSWORD } from "../../nodes/common/shared/variables.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";
import {
  custodySigner,
  type KeyServices,
  type KeyServiceUnderTest,
  startKeyServices,
} from "../support/key-services.ts";
import type { FlowNode } from "../support/node-red.ts";
import { manageNode } from "../support/nodes.ts";
import { OperationHarness } from "../support/operation-harness.ts";
import { submitNode, walletNode } from "../support/operation-nodes.ts";

const KINDS = ["aws-kms", "vault", "fireblocks", "privy", "remote"] as const;
const OTHER = localEcdsaSigner(generatePrivateKey()).address;

/** Signers whose keys are in key services, in flows and in their form. */
describe("signers of key services", function () {
  this.timeout(60_000);

  let harness: OperationHarness;
  let services: KeyServices;
  const of = (kind: string) => services.all.find((one) => one.kind === kind) as KeyServiceUnderTest;

  before(async () => {
    [harness, services] = await Promise.all([OperationHarness.start(), startKeyServices()]);
  });

  after(async () => {
    await harness?.close();
    await services?.close();
  });

  const post = async <T>(
    path: string,
    body: object = {},
  ): Promise<T & { problem?: string; code?: string }> => {
    const headers = { "content-type": "application/json" };
    const answer = await harness.nodeRed.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    should(answer.status).equal(200);
    return (await answer.json()) as T & { problem?: string; code?: string };
  };

  /** What a form sends that has stored secrets. */
  const stored = ({ kind, settings, secrets }: KeyServiceUnderTest, more: object = {}) => ({
    ...{ id: `with-${kind}`, kind, ...settings },
    ...Object.fromEntries(Object.keys(secrets).map((name) => [name, STORED_PASSWORD])),
    ...more,
  });

  const keyOf = (form: object) => post<SignerKey>("crec/signer/address", form);

  const testOf = async (form: object): Promise<Extract<SignerTestReport, { done: true }>> => {
    const { test, problem } = await post<{ test: string }>("crec/signer/test", form);
    should(problem).equal(undefined);
    return eventually("the end of the test", async () => {
      const report = await post<SignerTestReport>(`crec/signer/test/${test}`);
      return report.done && report;
    });
  };

  const deploy = (nodes: readonly FlowNode[]) =>
    harness.deploy(
      nodes.map(({ id }) => [
        manageNode("wallets.create-or-find", { id: `use-${id}`, wallet: `by-${id}` }),
        1,
      ]),
      nodes.flatMap((signer) => {
        const { id } = signer;
        return [
          signer,
          walletNode(harness.service.ready, { id: `by-${id}`, wallet: `wallet-of-${id}`, signer: id }),
        ];
      }),
    );

  /** What a node reports that lets a signer sign. */
  const refusal = async (id: string) => {
    const msg = await harness.refuse(`use-${id}`, {});
    return { code: msg.error?.code, message: msg.error?.message ?? "" };
  };

  for (const kind of KINDS) {
    describe(kind, () => {
      it("gives its key to the form before it is deployed, and signs a test", async () => {
        const service = of(kind);
        const form = { kind, ...service.settings, ...service.secrets };
        const key = await keyOf(form);
        should(key.problem).equal(undefined);
        if (kind === "vault") should(key.publicKey?.n).match(/^0x[0-9a-f]{512}$/);
        else should(key).deepEqual(service.key);
        const report = await testOf(form);
        should(report).have.properties({ isRight: true, key });
        should(report.failure).equal(undefined);
        should(report.milliseconds).be.above(0);
      });

      it("names the field that is missing", async () => {
        const service = of(kind);
        const [first = ""] = Object.keys(service.secrets);
        const { problem, code } = await keyOf({ kind, ...service.settings, ...service.secrets, [first]: "" });
        should(code).equal("SIGNER_INCOMPLETE");
        should(problem).match(/^Enter "[\w ]+"\.$/);
        // Dots of a signer that was never deployed.
        const unknown = await keyOf(stored(service, { id: `never-${kind}` }));
        should(unknown.problem).match(/^Enter "[\w ]+" again: the deployed signer does not have it\.$/);
      });

      it("sends what is stored only where it was typed for", async () => {
        const service = of(kind);
        await deploy([custodySigner(service)]);
        should((await testOf(stored(service))).isRight).be.true();
        const before = service.asked();
        const moved = { [service.addressField]: "http://127.0.0.1:9" };
        const { code } = await keyOf(stored(service, moved));
        should(code).equal("KEY_MISSING");
        // By an import, with the credentials that Node-RED keeps.
        await deploy([custodySigner(service, moved)]);
        should(await refusal(`with-${kind}`)).have.property("code", "KEY_NEEDS_CONFIRMATION");
        should((await keyOf(stored(service, moved))).code).equal("KEY_NEEDS_CONFIRMATION");
        should((await keyOf(stored(service))).code).equal("KEY_NEEDS_CONFIRMATION");
        const report = await (await harness.nodeRed.fetch(`crec/signer/with-${kind}/secrets`)).json();
        should(report).deepEqual({ needsConfirmation: true });
        // Another wrong field is reported first, and must not hide it.
        await deploy([custodySigner(service, { ...moved, timeout: "0" })]);
        should(await refusal(`with-${kind}`)).have.property("code", "SIGNER_INCOMPLETE");
        should((await keyOf(stored(service, moved))).code).equal("KEY_MISSING");
        should(service.asked()).equal(before);
        // A person who knows the secrets has typed them again.
        const typed = Object.entries(service.secrets).map(([name, value]) => [
          name,
          markTyped(value, "again"),
        ]);
        await deploy([custodySigner(service, { ...moved, credentials: Object.fromEntries(typed) })]);
        should((await refusal(`with-${kind}`)).code).equal("SIGNER_UNAVAILABLE");
      });

      it("refuses another key than the one that was fetched", async () => {
        const service = of(kind);
        const isRsa = kind === "vault";
        const pinned = isRsa
          ? { publicKey: { e: "0x010001", n: `0x${"ab".repeat(256)}` } }
          : { address: OTHER };
        await deploy([custodySigner(service, { id: `${kind}-pinned`, ...pinned })]);
        const { code, message } = await refusal(`${kind}-pinned`);
        should(code).equal("SIGNER_KEY_CHANGED");
        should(message).match(/Nothing was signed/);
      });
    });
  }

  describe("all", () => {
    it("sign operations that are confirmed on the chain", async () => {
      const { privateKey } = await post<{ privateKey: string }>("crec/signer/generate", {
        kind: "local-rsa",
      });
      const local = { id: "with-local-rsa", type: "crec-signer", kind: "local-rsa", address: "" };
      const kinds = [...KINDS, "local-rsa"];
      await harness.deploy(
        kinds.flatMap((kind): Array<[FlowNode, number]> => {
          const calls = [
            { kind: "raw", to: { value: OTHER, type: "str" }, data: { value: "0x", type: "str" } },
          ];
          return [
            [manageNode("wallets.create-or-find", { id: `make-${kind}`, wallet: `wallet-${kind}` }), 1],
            [submitNode({ id: `submit-${kind}`, wallet: `wallet-${kind}`, calls }), 2],
          ];
        }),
        [
          // As a box of one line leaves it.
          { ...local, credentials: { rsaKey: privateKey.replaceAll("\n", "") } },
          ...KINDS.map((kind) => custodySigner(of(kind))),
          ...kinds.map((kind) =>
            walletNode(harness.service.ready, {
              ...{ id: `wallet-${kind}`, wallet: `${kind}-wallet`, signer: `with-${kind}`, owner: OTHER },
            }),
          ),
        ],
      );
      await Promise.all(
        kinds.map(async (kind) => {
          await harness.ask(`make-${kind}`, {});
          const done = await harness.ask(`submit-${kind}`, {});
          should(done.crec?.status).equal("confirmed_latest", kind);
        }),
      );
      const asked = (wallet: string) => ({ id: wallet, connection: "connection", wallet });
      const { wallets } = await post<{ wallets: object[] }>("crec/signer/wallets", {
        key: of("privy").key,
        wallets: [
          asked("privy-wallet"),
          asked("remote-wallet"),
          asked("nobody"),
          { ...asked("x"), connection: "no" },
        ],
      });
      should(wallets).containDeepOrdered([
        { id: "privy-wallet", state: "allowed" },
        { id: "remote-wallet", state: "refused" },
        {
          id: "nobody",
          state: "unknown",
          why: "The service has no such wallet for this API key. Check its name or address, and the key; else create it first.",
        },
        { id: "x", state: "unknown" },
      ]);
    });

    it("try again at the next message where a key service did not answer", async () => {
      const service = of("aws-kms");
      services.kms.harm = () => ({ status: 400, __type: "AccessDeniedException", message: "not allowed" });
      await deploy([custodySigner(service, { id: "again" })]);
      should(await refusal("again")).have.property("code", "SIGNER_UNAUTHORIZED");
      services.kms.harm = () => undefined;
      const made = await harness.ask("use-again", {});
      should(made.payload).have.property("allowed_ecdsa_signers", [service.key.address]);
    });

    it("ask people in a test, say so, and end it when it is cancelled", async () => {
      const { states } = services.fireblocks;
      services.fireblocks.states = ["SUBMITTED", "PENDING_AUTHORIZATION"];
      const service = of("fireblocks");
      const { test } = await post<{ test: string }>("crec/signer/test", {
        ...{ kind: "fireblocks", ...service.settings, ...service.secrets },
      });
      await services.fireblocks.waiting();
      const state = await eventually("a test that waits for a person", async () => {
        const report = await post<SignerTestReport>(`crec/signer/test/${test}`);
        return !report.done && report.isForPerson && report.state;
      });
      should(state).equal("PENDING_AUTHORIZATION");
      should(await post(`crec/signer/test/${test}/cancel`)).deepEqual({});
      should(await post(`crec/signer/test/${test}`)).have.property("code", "TEST_ENDED");
      services.fireblocks.states = states;
    });

    it("take what the machine supplies only to an address of the provider or the environment", async () => {
      const service = of("aws-kms");
      const ambient = { ...service.settings, awsLogin: "environment" };
      const before = service.asked();
      should((await keyOf({ kind: "aws-kms", ...ambient })).code).equal("KEY_MISSING");
      await deploy([custodySigner(service, { id: "ambient", ...ambient, credentials: {} })]);
      should(await refusal("ambient")).have.property("code", "KEY_NEEDS_CONFIRMATION");
      // Deployed so, it is still not sent.
      should((await keyOf({ id: "ambient", kind: "aws-kms", ...ambient })).code).equal(
        "KEY_NEEDS_CONFIRMATION",
      );
      should(service.asked()).equal(before);
    });

    it("cannot be named by a form that the deployed signer does not have", async () => {
      const { code } = await keyOf({
        ...{ id: "ambient", kind: "privy", ...of("privy").settings },
        privyAppSecret: "${PATH}",
      });
      should(code).equal("DEPLOY_FIRST");
    });
  });

  describe("afterwards", () => {
    it("keep every secret out of flows, logs, messages and files", async () => {
      harness.checkRunsWell();
      const flows = await (await harness.nodeRed.fetch("flows")).text();
      const bound = await readFile(join(harness.userDir.path, "crec-keys.json"), "utf8");
      const captured = [harness.nodeRed.log, harness.nodeRed.heard, flows, bound].join("\n");
      for (const { kind, secrets } of services.all) {
        for (const secret of Object.values(secrets)) should(captured.includes(secret)).equal(false, kind);
        const answer = await (await harness.nodeRed.fetch(`credentials/crec-signer/with-${kind}`)).text();
        for (const secret of Object.values(secrets)) should(answer.includes(secret)).equal(false, kind);
      }
    });
  });
});
