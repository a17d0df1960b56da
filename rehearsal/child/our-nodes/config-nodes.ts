import type { Connection, ConnectionNode, SignerNode } from "../../../nodes/common/fields/config-nodes.ts";
import { type FieldReader, formContext } from "../../../nodes/common/fields/field-reader.ts";
import type { FleetNode } from "../../../nodes/common/fleet/fleet.ts";
import { provideFleet } from "../../../nodes/common/fleet/join-fleet.ts";
import { type Library, loadLibrary } from "../../../nodes/common/library.ts";
import { errorText, useLanguageOf } from "../../../nodes/common/messages/error-texts.ts";
import { unsetVariable } from "../../../nodes/common/shared/variables.ts";
import { familyNameProblem } from "../../../nodes/connection/families.ts";
import { NODE as CONNECTION, type ConnectionDef } from "../../../nodes/connection/fields.ts";
import { verificationOf } from "../../../nodes/connection/node.ts";
import { NODE as FLEET, type FleetDef } from "../../../nodes/fleet/fields.ts";
import { NODE as SIGNER, type SignerDef } from "../../../nodes/signer/fields.ts";
import type { HttpDispatcher } from "../../../src/http/socket-pool.ts";
import type { Address, CrecClient, Signer, Verifier } from "../../../src/index.ts";
import type { RehearsalContext } from "../host.ts";
import type { NodeClass } from "./acting.ts";
import { notTried } from "./not-tried.ts";
import type { QueryHistory } from "./transport.ts";

/** Takes the place of a base URL that is missing: nothing is sent to it. */
const NOWHERE = "http://rehearsal.invalid";
/** Nothing refuses it, since it is not sent. */
const NO_KEY = "rehearsal";

/**
 * A connection without a key: its client has the real checks, and all that it sends goes to `dispatcher`. Proofs are
 * checked as the form says. Gives the class of all nodes.
 */
export function registerConnection(
  context: RehearsalContext,
  dispatcher: HttpDispatcher,
  history: QueryHistory,
): NodeClass {
  const { RED } = context;
  function ConstructConnection(this: ConnectionNode, def: ConnectionDef): void {
    RED.nodes.createNode(this, def);
    this.connection = openConnection(formContext(RED, this, CONNECTION, def).fields, dispatcher, history);
    if (this.connection.problem) this.error(errorText(this.connection.problem));
  }
  RED.nodes.registerType("crec-connection", ConstructConnection);
  useLanguageOf(RED._);
  return Object.getPrototypeOf(ConstructConnection.prototype) as NodeClass;
}

function openConnection(
  { settings }: FieldReader<typeof CONNECTION>,
  dispatcher: HttpDispatcher,
  history: QueryHistory,
): Connection {
  const given = (settings.baseUrl ?? "").trim();
  const baseUrl = URL.canParse(given) ? given : NOWHERE;
  const graphqlUrl = (settings.graphqlUrl ?? "").trim() || undefined;
  const verification = verificationOf(settings);
  const problem = unsetVariable(settings) ?? familyNameProblem(settings.families);
  let client: Promise<CrecClient> | undefined;
  let verifier: Promise<Verifier> | undefined;
  // Without the limit of requests: nothing is sent, and the limit would hold events up.
  const makeClient = async () => {
    const { CrecClient } = await loadLibrary();
    return new CrecClient({ baseUrl, apiKey: NO_KEY, dispatcher, ...(graphqlUrl ? { graphqlUrl } : {}) });
  };
  return {
    ...{ baseUrl, graphqlUrl, problem, verification, isRehearsed: true },
    client: () => {
      client ??= makeClient();
      return client;
    },
    verifier: () => {
      verifier ??= loadLibrary().then(({ createVerifier }) => history.trusting(createVerifier(verification)));
      return verifier;
    },
  };
}

/** Never opened: what is shared is in memory. */
const NO_SHARED_STATE = "redis://rehearsal.invalid";

/** A shared state that only this process knows. Each rehearsal begins with an empty one. */
export function registerFleet(context: RehearsalContext, library: Promise<Library>): void {
  const { RED } = context;
  function ConstructFleet(this: FleetNode, def: FleetDef): void {
    RED.nodes.createNode(this, def);
    const leaseMs = formContext(RED, this, FLEET, def).fields.milliseconds("lease");
    const settings = { url: NO_SHARED_STATE, namespace: this.id, leaseMs };
    provideFleet(settings, async () => new (await library).MemorySharedState());
    this.fleet = { problem: undefined, settings, origin: undefined };
  }
  RED.nodes.registerType("crec-fleet", ConstructFleet);
}

/** A signer without a key. It notes what it would sign, and never signs: no key service is asked. */
export function registerSigner(context: RehearsalContext): void {
  const { RED } = context;
  function ConstructSigner(this: SignerNode, def: SignerDef): void {
    RED.nodes.createNode(this, def);
    const { settings } = formContext(RED, this, SIGNER, def).fields;
    const address = String(settings.address ?? "").trim() || undefined;
    const isRsa = settings.kind === "local-rsa" || Boolean(settings.publicKey);
    const signer = signerWithoutKey(isRsa ? "rsa" : "ecdsa", address as Address | undefined);
    this.signer = {
      problem: undefined,
      // With a key service, the node would wait for a person.
      custodian: undefined,
      mayAskPerson: false,
      knownAddress: async () => address,
      signer: async () => signer,
    };
  }
  RED.nodes.registerType("crec-signer", ConstructSigner);
}

function signerWithoutKey(kind: Signer["kind"], address: Address | undefined): Signer {
  return {
    kind,
    ...(address === undefined ? {} : { address }),
    sign: async ({ digest, typedData }) => {
      const { id, account, deadline, transactions } = typedData.message;
      const { chainId } = typedData.domain;
      const calls = transactions.length === 1 ? "1 call" : `${transactions.length} calls`;
      throw await notTried({
        kind: "operation",
        text: `sign and send an operation of ${calls}`,
        request: {
          ...{ digest, chainId: String(chainId), walletOperationId: String(id), address: account },
          deadline: Number(deadline),
          transactions: transactions.map(({ to, value, data }) => ({ to, value: String(value), data })),
        },
      });
    },
  };
}
