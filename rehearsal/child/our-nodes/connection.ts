import type { NodeAPI } from "node-red";
import type { Connection, ConnectionNode } from "../../../nodes/common/fields/config-nodes.ts";
import { type FieldReader, formContext } from "../../../nodes/common/fields/field-reader.ts";
import { loadLibrary } from "../../../nodes/common/library.ts";
import { errorText, useLanguageOf } from "../../../nodes/common/messages/error-texts.ts";
import { unsetVariable } from "../../../nodes/common/shared/variables.ts";
import { familyNameProblem } from "../../../nodes/connection/families.ts";
import { type ConnectionDef, NODE } from "../../../nodes/connection/fields.ts";
import { verificationOf } from "../../../nodes/connection/node.ts";
import type { HttpDispatcher } from "../../../src/http/socket-pool.ts";
import type { CrecClient, Verifier } from "../../../src/index.ts";
import type { NodeClass } from "./acting.ts";
import type { QueryHistory } from "./query-history.ts";

/** Takes the place of a base URL that is missing: nothing is sent to it. */
const NOWHERE = "http://rehearsal.invalid";
/** Nothing refuses it, since it is not sent. */
const NO_KEY = "rehearsal";

/**
 * A connection without a key: its client has the real checks, and all that it sends goes to `dispatcher`. Proofs are
 * checked as the form says. Gives the class of all nodes.
 */
export function registerConnection(RED: NodeAPI, dispatcher: HttpDispatcher, today: QueryHistory): NodeClass {
  function ConstructConnection(this: ConnectionNode, def: ConnectionDef): void {
    RED.nodes.createNode(this, def);
    this.connection = openConnection(formContext(RED, this, NODE, def).fields, dispatcher, today);
    if (this.connection.problem) this.error(errorText(this.connection.problem));
  }
  RED.nodes.registerType("crec-connection", ConstructConnection);
  useLanguageOf(RED._);
  return Object.getPrototypeOf(ConstructConnection.prototype) as NodeClass;
}

function openConnection(
  { settings }: FieldReader<typeof NODE>,
  dispatcher: HttpDispatcher,
  today: QueryHistory,
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
      verifier ??= loadLibrary().then(({ createVerifier }) => today.trusting(createVerifier(verification)));
      return verifier;
    },
  };
}
