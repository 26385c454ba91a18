// Problem is what the server says instead of an answer (problem+json), or that there was no
// answer at all (status 0).
export class Problem extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;

  constructor(status: number, text: string, body: Record<string, unknown> = {}) {
    super(text);
    this.status = status;
    this.body = body;
  }
}

export const get = <T>(path: string, abort?: AbortSignal) => ask<T>("GET", path, undefined, abort);

export const post = <T>(path: string, body: unknown = {}) => ask<T>("POST", path, body);

export const put = <T>(path: string, body?: unknown) => ask<T>("PUT", path, body);

export const remove = <T>(path: string) => ask<T>("DELETE", path);

async function ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const answer = await fetch(base + "api/" + path, {
    method,
    signal,
    headers: body === undefined ? undefined : { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch((e) => {
    if (signal?.aborted) throw e;
    throw new Problem(0, "The server does not answer.");
  });
  const text = await answer.text();
  const value = read(text);
  if (answer.ok) return value as T;
  const said = (value ?? {}) as Record<string, unknown>;
  throw new Problem(answer.status, String(said.detail || said.title || answer.statusText), said);
}

function read(text: string): unknown {
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

// base is the path at which the server has the page, with a slash at its end.
export const base = document.documentElement.dataset.base ?? "/";

// at joins the parts of a path, each as data.
export const at = (...parts: (string | number)[]) => parts.map((p) => encodeURIComponent(p)).join("/");
