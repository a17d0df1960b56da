/** Looks a text up in the catalog. */
type Translate = (key: string, values: { count: number }) => string;

/** `30 minutes`, `90 seconds`, in the reader's language. */
export function durationWords(translate: Translate, seconds: number): string {
  const isMinutes = seconds >= 60 && seconds % 60 === 0;
  const count = isMinutes ? seconds / 60 : seconds;
  return translate(isMinutes ? "common.duration.minutes" : "common.duration.seconds", { count });
}
