import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { ask, harnessFlow, type Message, refuse } from "../support/flow-harness.ts";
import { type FlowNode, NodeRed, UserDir } from "../support/node-red.ts";
import { connectionNode } from "../support/nodes.ts";
import { type Harm, ServiceProxy } from "../support/proxy.ts";
import { startTestService } from "../support/service.ts";

/** The account node: the response, a partial one, or an error that says which kind it is. */
describe("account", function () {
  this.timeout(120_000);

  let service: RunningService;
  let proxy: ServiceProxy;
  let userDir: UserDir;
  let nodeRed: NodeRed;

  before(async () => {
    [service, userDir] = await Promise.all([startTestService(), UserDir.make()]);
    proxy = await ServiceProxy.before(service.ready.graphql_url);
    nodeRed = await NodeRed.start(userDir, { TEST_VARIABLES: '{"secret": "top-secret"}' });
    await nodeRed.deploy(
      harnessFlow(
        [
          connectionNode(service.ready, { graphqlUrl: proxy.baseUrl }),
          connectionNode(service.ready, { id: "no-graphql", graphqlUrl: "" }),
          connectionNode(service.ready, { id: "wrong-key", credentials: { apiKey: "wrong-key" } }),
          connectionNode(service.ready, { id: "down", graphqlUrl: "http://127.0.0.1:1/", timeout: "0.5" }),
        ],
        [
          [accountNode({ id: "details" }), 1],
          [accountNode({ id: "bare", action: undefined, connection: "no-graphql" }), 1],
          [accountNode({ id: "refused", connection: "wrong-key" }), 1],
          [accountNode({ id: "unreachable", connection: "down" }), 1],
          [accountNode({ id: "query", ...QUERY }), 1],
          [
            accountNode({
              ...{
                id: "typed",
                action: "query",
                query: "query A { a: __typename } query B { b: __typename }",
              },
              operationName: "B",
            }),
            1,
          ],
          [
            accountNode({
              ...{ id: "by-environment", ...QUERY, variables: "TEST_VARIABLES", variablesType: "env" },
            }),
            1,
          ],
          [accountNode({ id: "mistyped", ...QUERY, variables: '{"secret": top}', variablesType: "json" }), 1],
        ],
      ),
    );
  });

  after(async () => {
    await nodeRed?.kill();
    await proxy?.close();
    await service?.close();
    await userDir?.remove();
  });

  afterEach(() => {
    proxy.harm = () => undefined;
  });

  const answers = (status: number, body: unknown) => {
    const harm: Harm = { kind: "answer", status, body: JSON.stringify(body) };
    proxy.harm = () => harm;
  };
  const codeOf = ({ error }: Message) => error?.code;

  it("gets the account that the key belongs to", async () => {
    const { payload, crec, odd, kept } = await ask(nodeRed, "details", { kept: 1, crec: { channelId: "c" } });
    should(payload).deepEqual({
      ...{ memberId: "member_local", displayName: "Local developer", emailAddress: "developer@localhost" },
    });
    should({ crec, odd, kept }).deepEqual({ crec: { channelId: "c" }, odd: [], kept: 1 });
    await nodeRed.status("details", "done");
  });

  it("runs a query with variables from the message", async () => {
    const { payload } = await ask(nodeRed, "query", {
      query: "query ($with: Boolean!) { getOrganization { tenantId organizationId @include(if: $with) } }",
      variables: { with: false },
    });
    should(payload).deepEqual({ getOrganization: { tenantId: service.ready.cre_tenant_id } });
  });

  it("runs the named operation of several", async () => {
    should((await ask(nodeRed, "typed", {})).payload).deepEqual({ b: "Query" });
  });

  it("sends a partial response with its errors, and then a complete one without", async () => {
    const errors = [{ message: "no b", path: ["b"] }];
    answers(200, { data: { a: 1, b: null }, errors });
    const part = await ask(nodeRed, "query", { query: "{ a b }", variables: {} });
    should(part.payload).deepEqual({ a: 1, b: null });
    should(part.crec).deepEqual({ errors });
    await nodeRed.status("query", "partial");
    answers(200, { data: { a: 1 } });
    should(
      (await ask(nodeRed, "query", { query: "{ a }", variables: {}, crec: part.crec ?? {} })).crec,
    ).deepEqual({});
    await nodeRed.status("query", "done");
  });

  it("reports a refused query to Catch, with all errors", async () => {
    const caught = await refuse(nodeRed, "query", { query: "{ nothing nobody }", variables: {} });
    should(codeOf(caught)).equal("GRAPHQL_ERROR");
    should(caught.crec?.errors).have.length(2);
    should(JSON.stringify(caught.crec?.errors)).match(/nothing.*nobody/);
    await nodeRed.status("query", ({ fill }) => fill === "red");
  });

  it("distinguishes a failed request from a refused one", async () => {
    should(codeOf(await refuse(nodeRed, "bare", {}))).equal("GRAPHQL_URL_MISSING");
    should(codeOf(await refuse(nodeRed, "refused", {}))).equal("KEY_REFUSED");
    should(codeOf(await refuse(nodeRed, "unreachable", {}))).match(/SERVICE_UNREACHABLE|TIMEOUT/);
    proxy.harm = () => ({ kind: "answer", status: 200, body: "<html>" });
    should(codeOf(await refuse(nodeRed, "query", { query: "{ a }", variables: {} }))).equal("BAD_RESPONSE");
  });

  it("refuses invalid variables, and does not repeat them", async () => {
    for (const variables of [[], "top-secret", 1]) {
      const caught = await refuse(nodeRed, "query", { query: "{ a }", variables });
      should(codeOf(caught)).equal("INVALID_FIELD");
      should(caught.error?.message).not.match(/top-secret/);
    }
    for (const nothing of [{}, { variables: null }, { variables: "" }]) {
      const { error } = await refuse(nodeRed, "query", { query: "{ a }", ...nothing });
      should(error).match({ code: "MISSING_VALUE", message: /"Variables" .*msg\.variables/ });
    }
    should((await refuse(nodeRed, "mistyped", { query: "{ a }", variables: {} })).error?.message).not.match(
      /top/,
    );
    answers(400, { errors: [{ message: 'Variable "$secret" got "top-secret".' }] });
    const caught = await refuse(nodeRed, "by-environment", { query: "{ a }", variables: {} });
    should(caught.error?.message).match(/Variable "\$secret" got "\*\*\*"/);
    should(JSON.stringify(caught)).not.match(/top-secret/);
    should(nodeRed.log + nodeRed.heard).not.match(new RegExp(service.ready.api_key));
  });
});

const QUERY = {
  ...{ action: "query", query: "query", queryType: "msg", variables: "variables", variablesType: "msg" },
};

function accountNode(properties: Partial<FlowNode>): FlowNode {
  return {
    ...{ id: "account", type: "crec-account", connection: "connection", action: "details", query: "" },
    ...{ queryType: "str", variables: "{}", variablesType: "json", operationName: "" },
    ...properties,
  };
}
