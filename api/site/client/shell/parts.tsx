import * as preact from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { describeFailure, type Failure } from '../service/failure';

/** Gives an element the focus, as a `ref` when it appears; one that can't have it by itself, such as a heading, is read out. */
export const takeFocus = (element: HTMLElement | null | undefined): void => {
  if (element && element.tabIndex < 0) element.tabIndex = -1;
  element?.focus({ preventScroll: true });
};

/** Words for screen readers, read out when they change. */
export const Status = ({ children }: { children: preact.ComponentChildren }) => (
  <p class="hidden" role="status">
    {children}
  </p>
);

export const Alert = ({ words, id }: { words: preact.ComponentChildren; id?: string }) =>
  words ? (
    <p class="fault" role="alert" id={id}>
      {words}
    </p>
  ) : null;

/** A button that submits no form unless its type says so. */
export const Button = ({ type = 'button', ...rest }: preact.ButtonHTMLAttributes) => (
  <button type={type} {...rest} />
);

type FormProps = Omit<preact.FormHTMLAttributes, 'onSubmit'> & Readonly<{ submit: () => void }>;

export const Form = ({ submit, ...rest }: FormProps) => (
  <form
    {...rest}
    onSubmit={(event) => {
      event.preventDefault();
      submit();
    }}
  />
);

export interface TextProps extends Omit<preact.LooseInputHTMLAttributes, 'label'> {
  readonly value: string;
  readonly change: (text: string) => void;
  readonly list?: string;
}

export const TextInput = ({ change, ...rest }: TextProps) =>
  preact.h('input', {
    ...{ type: 'text', autocomplete: 'off', ...rest },
    onInput: ({ currentTarget }: preact.TargetedInputEvent<HTMLInputElement>) => change(currentTarget.value),
  });

interface LineFormProps extends TextProps {
  readonly label: string;
  readonly terse?: boolean;
  readonly action: string;
  readonly primary?: boolean;
  readonly busy?: boolean;
  readonly submit: () => void;
}

export function LineForm(props: LineFormProps) {
  const { label, terse, action, primary, busy, submit, children, ...input } = props;
  const id = useId();
  return (
    <Form submit={submit} noValidate>
      <label for={id} class={terse ? 'hidden' : undefined}>
        {label}
      </label>
      <div class="line">
        <TextInput spellcheck={false} {...input} id={id} />
        <Button type="submit" class={primary ? 'primary' : undefined} disabled={busy}>
          {action}
        </Button>
      </div>
      {children}
    </Form>
  );
}

interface SelectProps {
  readonly label: string;
  /** Whether the label is only for screen readers; whether the field takes the focus. */
  readonly terse?: boolean;
  readonly focused?: boolean;
  readonly value: string;
  readonly disabled?: boolean;
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly choose: (value: string) => void;
}

export function Select({ label, terse, focused, options, choose, ...rest }: SelectProps) {
  return (
    <label>
      <span class={terse ? 'hidden' : undefined}>{label}</span>
      <select
        {...rest}
        ref={focused ? takeFocus : null}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface RadiosProps {
  readonly class: string;
  readonly legend: preact.ComponentChildren;
  readonly options: readonly { readonly id: string; readonly name: string }[];
  readonly chosen: string | undefined;
  readonly choose: (id: string) => void;
}

export function Radios({ class: look, legend, options, chosen, choose }: RadiosProps) {
  const name = useId();
  return (
    <fieldset class={look}>
      <legend>{legend}</legend>
      {options.map((each) => (
        <label key={each.id}>
          <input type="radio" name={name} checked={each.id === chosen} onChange={() => choose(each.id)} />
          <span>{each.name}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface FileButtonProps {
  readonly class?: string;
  readonly give: (files: readonly File[]) => void;
  readonly children: preact.ComponentChildren;
}

/** A button that opens the browser's picture chooser; with the class `camera` a phone's camera, for one picture. */
export function FileButton({ give, class: look = 'button', children }: FileButtonProps) {
  const source = look.includes('camera')
    ? ({ accept: 'image/jpeg', capture: 'environment' } as const)
    : { accept: 'image/jpeg,image/png,image/webp', multiple: true };
  return (
    <label class={look}>
      <input
        type="file"
        {...source}
        onChange={({ currentTarget }) => {
          give([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
      {children}
    </label>
  );
}

/** `alt`: empty if the name is shown beside it. */
type PictureProps = Readonly<{ src: string | undefined; alt: string; eager?: boolean }>;

export function Picture({ src, alt, eager = false }: PictureProps) {
  const [broken, setBroken] = useState<string>();
  const loading = eager ? 'eager' : 'lazy';
  return (
    <span class="picture">
      {src === undefined || broken === src ? (
        <span class="none" aria-hidden={alt === ''}>
          No picture
        </span>
      ) : (
        <img src={src} alt={alt} loading={loading} decoding="async" onError={() => setBroken(src)} />
      )}
    </span>
  );
}

/** Content that may be wider than the screen: it scrolls by itself, by pointer and by arrow keys. */
export const Scrollable = ({ label, children }: { label: string; children: preact.ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
  <section class="scrollable" tabIndex={0} aria-label={label}>
    {children}
  </section>
);

/** `title`: what failed, if that is not obvious; `again` makes the same call again, offered if that may help. */
type FailureNoteProps = Readonly<{ failure: Failure; title?: string | undefined; again?: () => void }>;

export function FailureNote({ failure, title, again }: FailureNoteProps) {
  const words = describeFailure(failure);
  /** Until the service may be called again; 0 when it may be called now. */
  const [seconds, setSeconds] = useState(failure.retryAfterSeconds ?? 0);
  useEffect(() => {
    const until = Date.now() + (failure.retryAfterSeconds ?? 0) * 1000;
    const look = () => setSeconds(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    look();
    const timer = setInterval(look, 250);
    return () => clearInterval(timer);
  }, [failure]);
  return (
    <div class="failure">
      <div role="alert">
        <h2>{title ?? words.title}</h2>
        <p>{words.text}</p>
      </div>
      {again && words.again && (
        <Button disabled={seconds > 0} onClick={again}>
          {seconds > 0 ? `Try again in ${seconds} s` : 'Try again'}
        </Button>
      )}
      {failure.answer.request_id && <p class="fine">Request {failure.answer.request_id}</p>}
    </div>
  );
}
