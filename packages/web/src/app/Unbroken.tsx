import { Component } from 'react';
import type { ReactElement, ReactNode } from 'react';

interface UnbrokenProps {
  /** The part that may break: `This page`. */
  what: string;
  children: ReactNode;
}

/** Keeps a failure in one part of the page from taking the others along. Drafts are kept apart from the drawing. */
export class Unbroken extends Component<UnbrokenProps, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override render(): ReactNode {
    return this.state.isBroken ? this.#sayBroken() : this.props.children;
  }

  #sayBroken(): ReactElement {
    return (
      <section className="broken" role="alert">
        <p>{this.props.what} could not be drawn. Nothing that you wrote is lost.</p>
        <div className="broken-choices">
          <button type="button" className="button" onClick={() => this.setState({ isBroken: false })}>
            Try again
          </button>
          <button type="button" className="button button-quiet" onClick={() => location.reload()}>
            Reload the page
          </button>
        </div>
      </section>
    );
  }
}
