/** A page of events without those that say how an operation ended. */
export function withoutEnd(body: string): string {
  const page = JSON.parse(body) as { events: Array<{ payload: { status?: string } }> };
  const isEnd = ({ payload: { status = "" } }: (typeof page.events)[number]) =>
    /^(confirmed|failed)/.test(status);
  return JSON.stringify({ ...page, events: page.events.filter((event) => !isEnd(event)) });
}
