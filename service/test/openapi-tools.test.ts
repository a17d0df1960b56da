import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import openapiTypescript, { astToString } from "openapi-typescript";
import should from "should";
import typescript from "typescript";
import { startTestService } from "./support.ts";

/** What others make of the description: tools that know nothing of this project. */
describe("the description at /openapi.json, read by other tools", function () {
  this.timeout(120_000);
  const descriptions = new Map<string, string>();

  before(async () => {
    const starting = [false, true].map(async (strict) => {
      const { service, dispose } = await startTestService({ strict });
      const answer = await fetch(`${service.ready.base_url}/openapi.json`);
      descriptions.set(strict ? "of a strict service" : "of any other service", await answer.text());
      await dispose();
    });
    await Promise.all(starting);
  });

  it("matches the schema of OpenAPI", async () => {
    for (const [which, description] of descriptions) {
      const { valid, errors } = await new Validator().validate(
        JSON.parse(description) as Record<string, unknown>,
      );
      should(valid).be.true(`${which}: ${JSON.stringify(errors)}`);
    }
  });

  it("passes a linter", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    for (const [which, source] of descriptions) {
      const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
      const told = problems.map(
        ({ ruleId, message, location: [at] }) => `${ruleId} ${at?.pointer}: ${message}`,
      );
      should(told).eql([], which);
    }
  });

  it("generates TypeScript types with every operation", async () => {
    for (const [which, source] of descriptions) {
      const types = astToString(await openapiTypescript(source));
      const { diagnostics = [] } = typescript.transpileModule(types, { reportDiagnostics: true });
      should(diagnostics.map(({ messageText }) => messageText)).eql([], which);
      const ids = [...source.matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id);
      should(ids.length).be.above(30);
      should(ids.filter((id) => !types.includes(`    ${id}: {\n`))).eql([], which);
    }
  });
});
