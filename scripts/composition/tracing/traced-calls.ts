import {
  type AccountRepository,
  type CatalogRepository,
  type CreditLedger,
  type Embedder,
  type EmbedderRegistry,
  type IdempotencyStore,
  type ImagePreparer,
  type ImageSource,
  type ItemSales,
  type NeighbourIndex,
  PORTS,
  type PredictionRepository,
  type RateLimiter,
  type TraceContext,
  type VisionQueue,
} from '../../../models/ports';

/** A call of a port as a trace shows it. */
export interface TracedCall {
  /** `Port.method`: few, so that they can be grouped. */
  readonly span: string;
  /** The stage of an identification that it belongs to, named as in the metrics. */
  readonly stage?: Stage;
  /** Whether its request takes the trace along, to whoever does the work. */
  readonly takesTraceAlong?: true;
  /** The calls that are traced of the adapter that it answers. */
  readonly answers?: ReadonlyMap<string, TracedCall>;
}

type Stage = 'intake' | 'queue' | 'embed' | 'neighbours' | 'rows';

/**
 * Has work done as a part of whatever is being traced; what it throws is recorded and thrown on. The work is given what
 * another process needs to go on with the trace, when there is one.
 */
export type Within = <Result>(
  call: TracedCall,
  work: (trace: TraceContext | undefined) => Promise<Result>,
) => Promise<Result>;

/** The calls of a port that are traced; none for one that takes no time. */
export const tracedCallsOf = (token: symbol): ReadonlyMap<string, TracedCall> => TRACED.get(token) ?? NONE;

/** The same adapter, with the calls of these names done within a trace. */
export function tracedAdapter<Port extends object>(
  adapter: Port,
  calls: ReadonlyMap<string, TracedCall>,
  within: Within,
): Port {
  if (calls.size === 0) return adapter;
  return new Proxy(adapter, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      const call = typeof property === 'string' ? calls.get(property) : undefined;
      if (!call) return value.bind(target);
      return (...parameters: unknown[]) =>
        within(call, async (trace) => {
          const given = call.takesTraceAlong && trace ? withTrace(parameters, trace) : parameters;
          const answer: unknown = await Reflect.apply(value, target, given);
          return call.answers && isObject(answer) ? tracedAdapter(answer, call.answers, within) : answer;
        });
    },
  });
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The request comes first. */
const withTrace = ([request, ...others]: readonly unknown[], trace: TraceContext): unknown[] => [
  isObject(request) ? { ...request, trace } : request,
  ...others,
];

function calls<Port>(
  port: string,
  methods: readonly (keyof Port & string)[],
  more: Omit<TracedCall, 'span'> = {},
): ReadonlyMap<string, TracedCall> {
  return new Map(methods.map((method) => [method, { span: `${port}.${method}`, ...more }]));
}

const NONE: ReadonlyMap<string, TracedCall> = new Map();

/** In the order in which an identification comes to them. */
const TRACED: ReadonlyMap<symbol, ReadonlyMap<string, TracedCall>> = new Map([
  [PORTS.AccountRepository, calls<AccountRepository>('AccountRepository', ['callerByKeyHash'])],
  [PORTS.RateLimiter, calls<RateLimiter>('RateLimiter', ['consume', 'acquire'])],
  [PORTS.IdempotencyStore, calls<IdempotencyStore>('IdempotencyStore', ['claim', 'forget'])],
  [PORTS.CreditLedger, calls<CreditLedger>('CreditLedger', ['reserve', 'settle', 'release'])],
  [PORTS.ImageSource, calls<ImageSource>('ImageSource', ['fetch'], { stage: 'intake' })],
  [PORTS.ImagePreparer, calls<ImagePreparer>('ImagePreparer', ['prepare'], { stage: 'intake' })],
  [
    PORTS.VisionQueue,
    calls<VisionQueue>('VisionQueue', ['neighbours'], { stage: 'queue', takesTraceAlong: true }),
  ],
  [
    PORTS.EmbedderRegistry,
    calls<EmbedderRegistry>('EmbedderRegistry', ['forVersion'], {
      stage: 'embed',
      answers: calls<Embedder>('Embedder', ['embed'], { stage: 'embed' }),
    }),
  ],
  [PORTS.NeighbourIndex, calls<NeighbourIndex>('NeighbourIndex', ['nearest'], { stage: 'neighbours' })],
  [
    PORTS.CatalogRepository,
    calls<CatalogRepository>('CatalogRepository', ['search', 'itemsById'], {
      stage: 'rows',
    }),
  ],
  [PORTS.ItemSales, calls<ItemSales>('ItemSales', ['sell'], { stage: 'rows' })],
  [PORTS.PredictionRepository, calls<PredictionRepository>('PredictionRepository', ['save'])],
]);

/** Ports of the stores: bound before anything uses them. */
export const TRACED_STORES: readonly symbol[] = [
  PORTS.AccountRepository,
  PORTS.IdempotencyStore,
  PORTS.CreditLedger,
  PORTS.ImagePreparer,
  PORTS.NeighbourIndex,
  PORTS.CatalogRepository,
  PORTS.ItemSales,
  PORTS.PredictionRepository,
];
