import type { Job } from "../shared/job.ts";
import type { CallToAsk } from "../shared/messages.ts";

/** Of the data of a call, in characters. */
const LONGEST_TEXT = 2 ** 18;

/** The call, if it is one. It is asked with the key of the parent: a channel that the flow does not use is not reached. */
export function callOf(call: CallToAsk, { snapshot }: Job): CallToAsk | undefined {
  const { channelId, chainSelector, from, to, data, value } = call;
  const texts: unknown[] = [channelId, chainSelector, to, data];
  const others: unknown[] = [from, value].filter((each) => each !== undefined);
  const areTexts = [...texts, ...others].every(
    (each) => typeof each === "string" && each.length <= LONGEST_TEXT,
  );
  const isKnown = snapshot.channels.some(({ channel }) => channel.channel_id === channelId);
  if (!areTexts || !isKnown) return undefined;
  return {
    ...{ channelId, chainSelector, to, data },
    ...(from === undefined ? {} : { from }),
    ...(value === undefined ? {} : { value }),
  };
}
