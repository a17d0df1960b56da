import should from "should";
import { type ChannelEvent, distinctEvents } from "../../src/index.ts";

describe("distinct events", () => {
  const eventOf = (id: number) => ({ event_id: String(id) }) as ChannelEvent;
  const idsOf = async (events: AsyncIterable<ChannelEvent>) => {
    const ids: string[] = [];
    for await (const event of distinctEvents(events)) ids.push(event.event_id);
    return ids;
  };

  it("leave out events that moved to the next page", async () => {
    const pages = async function* () {
      for (const id of [5, 4, 3, 4, 3, 2, 1]) yield eventOf(id);
    };
    should(await idsOf(pages())).deepEqual(["5", "4", "3", "2", "1"]);
  });

  it("end when a service sends the same page again and again", async () => {
    let read = 0;
    const pages = async function* () {
      for (;;) {
        read += 1;
        yield eventOf(read % 30);
      }
    };
    should(await idsOf(pages())).have.length(30);
    should(read).equal(60);
  });
});
