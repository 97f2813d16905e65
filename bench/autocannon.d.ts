/** The part of autocannon that the figures use; the package brings no types. */
declare module 'autocannon' {
  interface Request {
    method?: string;
    path?: string;
    body?: string;
    headers?: Record<string, string>;
  }
  interface Client {
    setRequests(requests: Request[]): void;
  }
  interface Options extends Request {
    url: string;
    connections?: number;
    /** Seconds. */
    duration?: number;
    setupClient?: (client: Client) => void;
  }
  interface Result {
    /** Milliseconds. */
    latency: { p50: number; p97_5: number; p99: number; max: number };
    requests: { average: number; total: number };
    /** Seconds. */
    duration: number;
    errors: number;
    timeouts: number;
    non2xx: number;
  }
  function autocannon(options: Options): Promise<Result>;
  export = autocannon;
}
