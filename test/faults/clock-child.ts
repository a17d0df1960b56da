/** Calls every method once and writes what each did. Its clock is set off before it starts. */
import type { ReadyInfo } from "../../service/src/index.ts";
import { CrecClient, type CrecError } from "../../src/index.ts";
import { atOnce } from "./at-once.ts";
import { checkTold } from "./cell.ts";
import type { ClockCell } from "./clock.ts";
import { LONG_WAIT, METHODS } from "./methods.ts";
import { worldAt } from "./world.ts";

const [given = "", apiKey = ""] = process.argv.slice(2);
const ready = JSON.parse(given) as ReadyInfo;
const world = await worldAt(ready);
const cells: ClockCell[] = [];
const works = Object.entries(METHODS).map(([name, { kind, prepare, after = [] }]) => async () => {
  const client = new CrecClient({
    ...{ baseUrl: ready.base_url, graphqlUrl: ready.graphql_url, apiKey },
  });
  const call = await prepare(world);
  const error = await call(client, LONG_WAIT).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error !== undefined) checkTold(error, apiKey);
  const code = (error as CrecError | undefined)?.code;
  const isUsual = code !== undefined && after.includes(code);
  cells.push({ name, kind, code: isUsual ? undefined : code, requests: Number.NaN, retried: false });
  await client.close();
});
await atOnce(8, works);
await world.direct.close();
process.stdout.write(JSON.stringify(cells));
