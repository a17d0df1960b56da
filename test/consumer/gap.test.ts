import should from "should";
import { firstToRead, gapBefore, isGone, notKept } from "../../src/consumer/pages/gap.ts";
import type { Page, PageSource } from "../../src/consumer/pages/page-source.ts";

/** A service whose lowest events are at these offsets, in the order in which it is asked. */
const pagesOf = (...firsts: Array<number | undefined>) =>
  ({ at: async () => ({ first: firsts.shift() }) }) as unknown as PageSource;
const { signal } = new AbortController();

describe("events that the service does not keep any more", () => {
  const gapAt = (first: number | undefined, asked: Array<number | undefined>, isShown: boolean) =>
    gapBefore(
      pagesOf(...asked),
      { first } as Page,
      { position: 5, mark: { offset: 5, isRead: true }, isShown },
      signal,
    );

  it("are a gap where the service agrees that nothing lower is there", async () => {
    should(await gapAt(9, [9], true)).eql({ passes: true, gap: { from: 6, to: 8 } });
    should(await gapAt(9, [8], false)).eql({ passes: true, gap: { from: 6, to: 7 } });
    should(await gapAt(9, [5], false)).eql({ passes: true });
  });

  it("are none where the page is in order, lags, or ignores the offset", async () => {
    should(await gapAt(6, [], true)).eql({ passes: true });
    should(await gapAt(undefined, [], true)).eql({ passes: true });
    should(await gapAt(9, [7], true)).eql({ passes: false });
    should(await gapAt(9, [undefined], false)).eql({ passes: false });
    should(await gapAt(9, [10], false)).eql({ passes: false });
  });

  it("are gone from the mark on where no event, of whatever type, is so far down", async () => {
    const mark = { offset: 5, isRead: false };
    should(firstToRead(mark)).equal(5);
    should(await isGone(pagesOf(), mark, undefined, signal)).be.true();
    for (const [first, gone] of [
      [undefined, true],
      [6, true],
      [5, false],
    ] as const) {
      should(await isGone(pagesOf(first), mark, "watcher.event", signal)).equal(gone);
    }
  });

  it("are reported with their offsets", () => {
    should(notKept({ from: 3, to: 3 }).message).match(/the event at offset 3 may have been missed/);
    should(notKept({ from: 3, to: 7 }).message).match(/events from offset 3 to 7 .* continues at offset 8/);
  });
});
