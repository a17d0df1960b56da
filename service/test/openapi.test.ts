import should from "should";
import { createServer } from "../src/api/server.ts";
import { InjectedFailures } from "../src/injected-failures/index.ts";
import { silentLog } from "../src/log.ts";
import { startTestService } from "./support.ts";

type Schema = {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  [keyword: string]: unknown;
};
type Body = { description?: string; content?: Record<string, { schema?: Schema }> };
type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  security?: unknown[];
  parameters?: Array<{ name: string; in: string; required: boolean; schema: Schema }>;
  requestBody?: Body & { required: boolean };
  responses: Record<string, Body>;
};
type Description = {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, { type: string }> };
  security: Array<Record<string, string[]>>;
};

/** What the description cannot say, or no program calls: the start page with its script, streams, and itself. */
const UNDESCRIBED = [
  ...["GET /", "GET /openapi.json", "GET /graphql", "GET /local/timeline/stream"],
  // For Node-RED, not for a client.
  "GET /local/node-red.json",
  ...["facts", "groups", "stream", "timeline", "view", "words"].map((name) => `GET /local/page/${name}.mjs`),
];
/** The endpoints of the contract. */
const CONTRACT = `
  GET /health-check
  GET /networks
  POST /channels, GET /channels, GET /channels/{channel_id}, PATCH /channels/{channel_id}
  POST /wallets, GET /wallets, GET /wallets/{wallet_id}, PATCH /wallets/{wallet_id}
  POST /channels/{channel_id}/watchers, GET /channels/{channel_id}/watchers
  GET /channels/{channel_id}/watchers/{watcher_id}, PATCH /channels/{channel_id}/watchers/{watcher_id}
  POST /channels/{channel_id}/operations, GET /channels/{channel_id}/operations
  GET /channels/{channel_id}/operations/{operation_id}, PATCH /channels/{channel_id}/operations/{operation_id}
  POST /channels/{channel_id}/queries, GET /channels/{channel_id}/queries
  GET /channels/{channel_id}/queries/{query_id}
  GET /channels/{channel_id}/events, GET /channels/{channel_id}/events/search
  GET /channels/{channel_id}/events/search/{event_id}
  POST /graphql`
  .split(/[,\n]/)
  .map((route) => route.trim())
  .filter((route) => route !== "");

const TYPES = ["string", "integer", "number", "boolean", "array", "object", "null"];

describe("the description at /openapi.json", function () {
  this.timeout(120_000);
  let description: Description;
  let dispose: () => Promise<void>;
  const operations = () =>
    Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        route: `${method.toUpperCase()} ${path}`,
        path,
        operation,
      })),
    );

  before(async () => {
    const { service, ...rest } = await startTestService();
    dispose = rest.dispose;
    description = (await (await fetch(`${service.ready.base_url}/openapi.json`)).json()) as Description;
  });
  after(() => dispose());

  it("has every route of the service, and every endpoint of the contract", async () => {
    const described = operations().map(({ route }) => route);
    should(described).containDeep(CONTRACT);
    // Routes are registered before anything of the running service is looked at.
    const context = { log: silentLog(), injected: new InjectedFailures() };
    const options = { apiKeys: ["key"], account: {}, local: true, loopback: false };
    const app = await createServer(context as never, {} as never, options as never);
    await app.ready();
    const routes = routesOf(app.printRoutes({ commonPrefix: false }));
    should(routes.length).be.above(CONTRACT.length);
    should(routes.filter((route) => !UNDESCRIBED.includes(route)).sort()).eql(described.sort());
    await app.close();
  });

  it("is valid OpenAPI 3.1 with unique names and no broken reference", () => {
    should(description.openapi).equal("3.1.0");
    should(description.info).have.properties(["title", "version"]);
    should(description.components.securitySchemes.apikey?.type).equal("apiKey");
    should(description.security).eql([{ apikey: [] }]);
    const names = operations().map(({ operation }) => operation.operationId);
    should(new Set(names).size).equal(names.length);
    for (const { route, path, operation } of operations()) {
      should(operation.summary).be.a.String().and.not.be.empty();
      should(operation.tags).have.length(1);
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      should(inPath.map(({ name }) => `{${name}}`)).eql(path.match(/\{\w+\}/g) ?? []);
      for (const parameter of operation.parameters ?? []) {
        should(["path", "query"]).containEql(parameter.in);
        should(parameter.required === true || parameter.in === "query").be.true();
        checkSchema(parameter.schema, `${route} ${parameter.name}`);
      }
      should(operation.requestBody !== undefined).equal(/^(POST|PATCH) /.test(route));
      for (const body of [operation.requestBody, ...Object.values(operation.responses)]) {
        for (const [type, { schema }] of Object.entries(body?.content ?? {})) {
          should(type).equal("application/json");
          checkSchema(schema, route);
        }
      }
    }
    for (const [name, schema] of Object.entries(description.components.schemas)) {
      should(name).match(/^[A-Z][A-Za-z]+$/);
      checkSchema(schema, name);
    }
  });

  it("has a named schema for every body and answer of the contract", () => {
    for (const { route, operation } of operations().filter(({ route }) => CONTRACT.includes(route))) {
      for (const body of [operation.requestBody, ...Object.values(operation.responses)]) {
        const schema = body?.content?.["application/json"]?.schema;
        const alternatives = (schema?.anyOf as Schema[] | undefined) ?? [schema];
        for (const one of body === undefined ? [] : alternatives) {
          should(one?.$ref).match(/^#\/components\/schemas\/\w+$/, `${route} ${JSON.stringify(one)}`);
        }
      }
    }
  });

  it("lists every status of success and of failure", () => {
    for (const { route, operation } of operations()) {
      const statuses = Object.keys(operation.responses);
      should(statuses.some((status) => status.startsWith("2"))).be.true(route);
      should(statuses).containDeep(["417", "429", "500"]);
      if (operation.security === undefined) should(statuses).containDeep(["401", "403"]);
      if (operation.parameters !== undefined) should(statuses).containEql("400");
      if (operation.requestBody !== undefined || route.startsWith("DELETE ")) {
        should(statuses).containDeep(["400", "413", "415"]);
      }
      if (route.includes("{") && !route.includes("/local")) should(statuses).containEql("404");
      for (const response of Object.values(operation.responses)) should(response.description).not.be.empty();
    }
    const of = (route: string) =>
      Object.keys(operations().find((one) => one.route === route)?.operation.responses ?? {});
    should(of("POST /channels/{channel_id}/operations")).containDeep(["201", "404", "409"]);
    should(of("POST /channels/{channel_id}/queries")).containDeep(["202", "404", "409"]);
    should(of("PATCH /channels/{channel_id}/watchers/{watcher_id}")).containDeep([
      "200",
      "202",
      "404",
      "409",
    ]);
  });

  it("has required fields, and values that other services may send", () => {
    const { schemas } = description.components;
    const required = (name: string) => schemas[name]?.required as string[];
    should(required("Network")).containDeep(["type", "default_confidence_level", "created_at", "updated_at"]);
    should(required("Watcher")).containDeep(["don_family", "confidence_level"]);
    should(required("Subject")).containDeep(["subject_name"]);
    should(required("EventFragment")).containDeep(["anonymous", "inputs"]);
    should(required("AbiInput")).containDeep(["internalType", "indexed"]);
    should(required("PreviewSnapshot")).containDeep(["execution_values"]);
    const isNullable = (schema: Schema | undefined) =>
      (schema?.anyOf as Schema[] | undefined)?.some(({ type }) => type === "null");
    for (const name of ["Operation", "OperationStatusPayload"]) {
      const { digest, transactions } = schemas[name]?.properties ?? {};
      should([isNullable(digest), isNullable(transactions)]).eql([true, undefined]);
    }
    const proofs = schemas.Event?.properties?.headers?.properties?.proofs?.items;
    const references = ["OcrProof", "OtherProof"].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    should(proofs).containDeep({ anyOf: references });
    should(schemas.Query?.properties?.proof).containDeep({ anyOf: references });
  });

  it("requires no field with a default, and has all limits", () => {
    const list = operations().find(({ route }) => route === "GET /wallets")?.operation;
    const limit = list?.parameters?.find(({ name }) => name === "limit");
    should(limit?.required).be.false();
    should(limit?.schema).containDeep({ type: "integer", minimum: 1, maximum: 100, default: 50 });
    const { NewOperation, NewQuery, QueryParams, NewWallet, NewWatcher } = description.components.schemas;
    for (const schema of [NewOperation, NewQuery, QueryParams])
      should(schema?.additionalProperties).be.false();
    should(NewWallet?.properties?.allowed_ecdsa_signers?.maxItems).equal(10);
    should(NewWatcher?.properties?.name).containDeep({ minLength: 4, maxLength: 255 });
    const name = new RegExp(String(NewWatcher?.properties?.name?.pattern), "u");
    should(["abcd", " abc ", "  ab  cd "].map((text) => name.test(text))).eql([true, false, true]);
  });

  function checkSchema(schema: unknown, where: string): void {
    should(schema).be.an.Object();
    const { $ref, type, properties, required, items, anyOf, patternProperties } = schema as Schema;
    if ($ref !== undefined) {
      const name = /^#\/components\/schemas\/(\w+)$/.exec($ref)?.[1] ?? "";
      should(description.components.schemas).have.property(name);
      should(Object.keys(schema as object)).eql(["$ref"]);
      return;
    }
    if (type !== undefined) should(TYPES.includes(String(type))).be.true(`${where}: ${type}`);
    if (required !== undefined) should(Object.keys(properties ?? {})).containDeep(required as string[]);
    for (const inner of [
      ...Object.values(properties ?? {}),
      ...Object.values((patternProperties as Record<string, Schema> | undefined) ?? {}),
      ...((anyOf as Schema[] | undefined) ?? []),
      ...(items === undefined ? [] : [items]),
    ]) {
      checkSchema(inner, where);
    }
  }
});

/** `GET /channels/{channel_id}` and so on from Fastify's tree of routes. */
function routesOf(tree: string): string[] {
  const parents: string[] = [];
  return tree.split("\n").flatMap((line) => {
    const found = /^([│ ]*)(?:├──|└──) (\S*)(?: \(([A-Z, ]+)\))?$/u.exec(line);
    if (found === null) return [];
    const [, indent = "", part = "", methods = ""] = found;
    const depth = indent.length / 4;
    parents.length = depth;
    parents.push(part);
    const path = parents.join("").replaceAll(/:(\w+)/g, "{$1}");
    return methods
      .split(", ")
      .filter((method) => method !== "" && method !== "HEAD")
      .map((method) => `${method} ${path}`);
  });
}
