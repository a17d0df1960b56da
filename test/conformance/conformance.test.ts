import { rows as accounts } from "./rows/account.ts";
import { rows as channels } from "./rows/channels.ts";
import { rows as conventions } from "./rows/conventions.ts";
import { rows as description } from "./rows/description.ts";
import { rows as drafts } from "./rows/drafts.ts";
import { rows as events } from "./rows/events.ts";
import { rows as invariants } from "./rows/invariants.ts";
import { rows as lists } from "./rows/lists.ts";
import { rows as operations } from "./rows/operations.ts";
import { rows as queries } from "./rows/queries.ts";
import { rows as relay } from "./rows/relay.ts";
import { rows as search } from "./rows/search.ts";
import { rows as wallets } from "./rows/wallets.ts";
import { rows as watchers } from "./rows/watchers.ts";
import { openTarget, patienceMs } from "./target.ts";
import { World } from "./world.ts";

const TABLE = {
  conventions,
  channels,
  wallets,
  watchers,
  operations,
  drafts,
  relay,
  queries,
  events,
  search,
  lists,
  accounts,
  // What must hold of all that the rows before have brought about.
  invariants,
  description,
};

describe("the service, sentence by sentence", function () {
  // A row may wait for several changes, one after another.
  this.timeout(3 * patienceMs(process.env));
  let world: World;
  const skipped: string[] = [];

  before(async () => {
    world = await World.enter(await openTarget(process.env));
  });
  after(async function () {
    this.timeout(600_000);
    await world?.leave();
    if (skipped.length === 0) return;
    process.stdout.write(
      `\n  ${skipped.length} rows skipped: ${[...new Set(skipped)].join(", ")} missing here.\n`,
    );
  });

  for (const [area, rows] of Object.entries(TABLE)) {
    describe(area, () => {
      for (const { of, says, needs, check } of rows) {
        it(`${of}: ${says}`, async function () {
          const lacking = needs.filter((need) => !world.has(need));
          if (lacking.length > 0) {
            skipped.push(...lacking.slice(0, 1));
            this.skip();
          }
          await check(world);
        });
      }
    });
  }
});
